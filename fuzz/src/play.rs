//! Walks and calls that bytes decide, and what must hold along them.

use blueprints_runtime::{LimitError, Matcher, Program, Rejected, TokenId};

/// Follows the masks, a byte of `choices` for each step, and checks each mask. Returns the text if
/// it may end where the walk does.
///
/// # Panics
/// If a mask differs from trying every token, or leads into a dead end.
pub(crate) fn walk(program: &Program, choices: &[u8]) -> Option<Vec<u8>> {
    let mut matcher = program.matcher();
    let mut text = Vec::new();
    for at in 0..=choices.len().min(24) {
        let trial = matcher.mask_by_trial().ok()?;
        let mask = matcher.mask().ok()?;
        assert_eq!(*mask, trial, "a mask differs after {:?}", String::from_utf8_lossy(&text));
        let allowed: Vec<TokenId> = mask.iter().collect();
        let ends = matcher.is_accepting();
        assert!(ends || !allowed.is_empty(), "a dead end after {text:?}");
        let Some(choice) = choices.get(at).filter(|_| !allowed.is_empty()) else { break };
        // The spread makes all of a few hundred tokens reachable from one byte.
        let token = allowed[(usize::from(*choice) * 7 + at * 3) % allowed.len()];
        match matcher.accept(token) {
            Ok(()) => text.extend_from_slice(program.vocabulary().spelling(token)),
            Err(Rejected::Limit(_)) => return None,
            Err(refused) => panic!("the mask allows what is refused: {refused}"),
        }
        if matcher.is_stopped() {
            // Without the stop token's spelling.
            text.truncate(text.len() - program.vocabulary().spelling(token).len());
            return Some(text);
        }
    }
    matcher.is_accepting().then_some(text)
}

/// Does what the bytes say with a matcher: two bytes each for what and with which token.
///
/// # Panics
/// If the matcher is not what a fresh one is after the same tokens.
pub(crate) fn calls(program: &Program, bytes: &[u8]) {
    let width = program.vocabulary().width();
    let mut matcher = program.matcher();
    let mut path: Vec<TokenId> = Vec::new();
    for pair in bytes.chunks_exact(2).take(200) {
        let token = TokenId(u32::from(pair[1]) * 5 % (width as u32 + 3));
        let done = match pair[0] % 8 {
            0..=2 => accept_allowed(&mut matcher, &mut path, pair[1]),
            3 => accept_any(&mut matcher, &mut path, token),
            4 => {
                let count = usize::from(pair[1] % 9);
                let taken = matcher.rollback(count).is_ok();
                assert_eq!(taken, count <= path.len());
                if taken {
                    path.truncate(path.len() - count);
                }
                Ok(())
            }
            5 => validated(&matcher, &path, token),
            6 => replayed(program, &mut matcher, &path),
            _ => {
                if pair[1] == 0 {
                    matcher.reset();
                    path.clear();
                } else {
                    matcher = matcher.fork();
                }
                Ok(())
            }
        };
        assert_eq!(matcher.len(), path.len());
        if done.is_err() {
            return;
        }
    }
}

fn accept_allowed(
    matcher: &mut Matcher,
    path: &mut Vec<TokenId>,
    choice: u8,
) -> Result<(), LimitError> {
    let allowed: Vec<TokenId> = matcher.mask()?.iter().collect();
    assert!(!allowed.is_empty() || matcher.is_accepting(), "a dead end after {path:?}");
    if !allowed.is_empty() {
        let token = allowed[usize::from(choice) * 3 % allowed.len()];
        match matcher.accept(token) {
            Ok(()) => path.push(token),
            Err(Rejected::Limit(limit)) => return Err(limit),
            Err(refused) => panic!("the mask allows what is refused: {refused}"),
        }
    }
    Ok(())
}

fn accept_any(
    matcher: &mut Matcher,
    path: &mut Vec<TokenId>,
    token: TokenId,
) -> Result<(), LimitError> {
    let allowed = matcher.mask()?.contains(token);
    match matcher.accept(token) {
        Ok(()) => {
            assert!(allowed, "what the mask refuses is allowed: {token}");
            path.push(token);
        }
        Err(Rejected::Limit(limit)) => return Err(limit),
        Err(_) => assert!(!allowed, "the mask allows what is refused: {token}"),
    }
    Ok(())
}

fn validated(matcher: &Matcher, path: &[TokenId], token: TokenId) -> Result<(), LimitError> {
    let draft = [token, token, path.first().copied().unwrap_or(token)];
    let mut fork = matcher.fork();
    let validated = matcher.validate(&draft)?;
    assert_eq!(fork.accept_prefix(&draft)?, validated);
    assert_eq!(fork.len(), matcher.len() + validated);
    Ok(())
}

/// The matcher is what a fresh one is after the same tokens.
fn replayed(program: &Program, matcher: &mut Matcher, path: &[TokenId]) -> Result<(), LimitError> {
    let mut fresh = program.matcher();
    assert_eq!(fresh.accept_prefix(path)?, path.len());
    assert_eq!(fresh.mask()?, matcher.mask()?);
    assert_eq!(fresh.is_accepting(), matcher.is_accepting());
    assert_eq!(fresh.is_finished(), matcher.is_finished());
    assert_eq!(fresh.forced()?, matcher.forced()?);
    Ok(())
}
