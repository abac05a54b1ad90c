//! Sequences in progress: feeding, taking back, and what is refused.

use super::*;

#[test]
fn feeding_in_parts_equals_feeding_at_once() {
    let folder = folder("parts");
    let checkpoint = load(&folder);
    // Longer than one block, and than the first buffer of the caches.
    let all = tokens(&checkpoint, &"some text, <|im_start|>more text.\n".repeat(15));
    assert!(all.len() > 256);
    let once = checkpoint.session().feed(&all).unwrap();
    for parts in [1, 7, 100] {
        let mut session = checkpoint.session();
        let mut last = Vec::new();
        for part in all.chunks(parts) {
            last = session.feed(part).unwrap();
        }
        assert_close(&last, &once);
        assert_eq!(session.length(), all.len());
    }
    // The order of tokens matters, near and far.
    for at in [0, all.len() - 2] {
        let mut other = all.clone();
        other.swap(at, at + 1);
        let moved = checkpoint.session().feed(&other).unwrap();
        assert!(moved.iter().zip(&once).any(|(a, b)| (a - b).abs() > 1e-3), "{at}");
    }
}

#[test]
fn taking_back_equals_never_having_fed() {
    let folder = folder("back");
    let checkpoint = load(&folder);
    let (start, wrong, right) = ("once upon", " a time there", " midnight");
    let plain =
        checkpoint.session().feed(&tokens(&checkpoint, &format!("{start}{right}"))).unwrap();
    let mut session = checkpoint.session();
    session.feed(&tokens(&checkpoint, start)).unwrap();
    let length = session.length();
    session.feed(&tokens(&checkpoint, wrong)).unwrap();
    session.truncate(length);
    assert_close(&session.feed(&tokens(&checkpoint, right)).unwrap(), &plain);
    session.truncate(0);
    let whole = tokens(&checkpoint, &format!("{start}{right}"));
    assert_close(&session.feed(&whole).unwrap(), &plain);
}

#[test]
fn what_cannot_be_fed_changes_nothing() {
    let folder = folder("refused");
    let checkpoint = load(&folder);
    let mut session = checkpoint.session();
    session.feed(&[TokenId(1), TokenId(2)]).unwrap();
    assert!(matches!(session.feed(&[]), Err(ModelError::NothingFed)));
    // The second block fails, after the first one has been remembered.
    let mut long = vec![TokenId(3); 300];
    long[290] = TokenId(272);
    assert!(matches!(session.feed(&long), Err(ModelError::UnknownToken { token: 272, .. })));
    let full = vec![TokenId(3); 599];
    assert!(matches!(session.feed(&full), Err(ModelError::ContextFull { length: 601, .. })));
    assert_eq!(session.length(), 2);
    let next = session.feed(&[TokenId(4)]).unwrap();
    let plain = checkpoint.session().feed(&[TokenId(1), TokenId(2), TokenId(4)]).unwrap();
    assert_close(&next, &plain);
}
