//! Reads weights by name out of a safetensors file.

use candle_core::{DType, Device, Tensor};
use safetensors::{Dtype, SafeTensors};

use super::model::{ModelError, Weights};

/// The tensors of one file, in single precision as they are asked for.
pub(crate) struct FileWeights<'a>(pub(crate) SafeTensors<'a>);

impl Weights for FileWeights<'_> {
    fn tensor(&mut self, name: &str, shape: &[usize]) -> Result<Tensor, ModelError> {
        let name_owned = || name.to_owned();
        let view =
            self.0.tensor(name).map_err(|_| ModelError::MissingTensor { name: name_owned() })?;
        if view.shape() != shape {
            let (found, expected) = (view.shape().to_vec(), shape.to_vec());
            return Err(ModelError::WrongShape { name: name_owned(), found, expected });
        }
        let kind = match view.dtype() {
            Dtype::F32 => DType::F32,
            Dtype::F16 => DType::F16,
            Dtype::BF16 => DType::BF16,
            other => {
                let found = format!("{other:?}");
                return Err(ModelError::WrongType { name: name_owned(), found });
            }
        };
        let tensor = Tensor::from_raw_buffer(view.data(), kind, shape, &Device::Cpu)?;
        Ok(tensor.to_dtype(DType::F32)?)
    }
}
