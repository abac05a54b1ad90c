//! The command `blueprint`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::run()
}
