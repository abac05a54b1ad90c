//! The command `blueprint generate` where the decoder was not built.

use super::command::Folder;

#[test]
fn generate_says_that_there_is_no_decoder() {
    let folder = Folder::new("no_generate");
    let run = ["generate", "-e", "a", "--prompt", "b"];
    folder.check(&run, 2, &[], &["built without the feature `decode`"]);
}
