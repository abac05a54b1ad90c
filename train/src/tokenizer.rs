//! Trains the byte-level BPE.
//!
//! Words split the same way in prose, after a quote and after `_`, and digits stand alone, so that
//! copying an argument is copying tokens.

use tokenizers::models::bpe::{BPE, BpeTrainer};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::{
    AddedToken, DecoderWrapper, NormalizerWrapper, PostProcessorWrapper, PreTokenizerWrapper,
    SplitDelimiterBehavior, Tokenizer, TokenizerImpl,
};

const SPLIT: &str = r"\d|[A-Za-z]+|\n|[^A-Za-z\d\n]+";

/// The control tokens, which are never text.
pub(crate) const SPECIAL: [&str; 2] = ["<|im_start|>", "<|im_end|>"];
/// Tokens that are text as well.
const MARKERS: [&str; 2] = ["<tool_call>", "</tool_call>"];

type Plain = TokenizerImpl<
    BPE,
    NormalizerWrapper,
    PreTokenizerWrapper,
    PostProcessorWrapper,
    DecoderWrapper,
>;

/// Trains on `texts` and gives a tokenizer with `size` tokens.
pub(crate) fn train(texts: &[String], size: usize) -> tokenizers::Result<Tokenizer> {
    let mut tokenizer: Plain = TokenizerImpl::new(BPE::default());
    let split =
        Split::new(SplitPattern::Regex(SPLIT.to_owned()), SplitDelimiterBehavior::Isolated, false)?;
    let bytes = ByteLevel::new(false, false, false);
    let steps = vec![PreTokenizerWrapper::Split(split), PreTokenizerWrapper::ByteLevel(bytes)];
    tokenizer.with_pre_tokenizer(Some(PreTokenizerWrapper::Sequence(Sequence::new(steps))));
    tokenizer.with_decoder(Some(DecoderWrapper::ByteLevel(bytes)));
    let special = SPECIAL.map(|name| AddedToken::from(name, true));
    let markers = MARKERS.map(|name| AddedToken::from(name, false));
    let mut trainer = BpeTrainer::builder()
        .show_progress(false)
        .vocab_size(size)
        .initial_alphabet(ByteLevel::alphabet().into_iter().collect())
        .special_tokens(special.into_iter().chain(markers).collect())
        .build();
    tokenizer.train(&mut trainer, texts.iter())?;
    Ok(Tokenizer::from(tokenizer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_split_alike_everywhere_and_text_comes_back() {
        let text = "call get_paris on \"paris\" in paris 12\n<tool_call>é".to_owned();
        let tokenizer = train(&vec![text.clone(); 20], 300).unwrap();
        let encoding = tokenizer.encode(format!("<|im_start|>{text}<|im_end|>"), false).unwrap();
        let tokens = encoding.get_tokens();
        assert_eq!(tokens[0], "<|im_start|>");
        assert_eq!(tokens.iter().filter(|token| *token == "paris").count(), 3, "{tokens:?}");
        assert_eq!(tokenizer.decode(encoding.get_ids(), true).unwrap(), text);
        assert!(tokenizer.get_vocab_size(true) <= 300);
    }
}
