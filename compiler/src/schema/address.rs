//! Addresses of schemas: resolving one against another (RFC 3986, section 5.2).

/// The parts of an address, without its fragment.
struct Parts<'a> {
    scheme: Option<&'a str>,
    authority: Option<&'a str>,
    path: &'a str,
    query: Option<&'a str>,
}

/// The address and the fragment of a reference.
pub(super) fn split(reference: &str) -> (&str, &str) {
    reference.split_once('#').unwrap_or((reference, ""))
}

/// What `reference`, which has no fragment, means where `base` is the address.
pub(super) fn resolve(base: &str, reference: &str) -> String {
    if reference.is_empty() {
        return base.to_owned();
    }
    let (own, base) = (parse(reference), parse(base));
    if own.scheme.is_some() {
        return join(own.scheme, own.authority, &own.path_cleaned(), own.query);
    }
    if own.authority.is_some() {
        return join(base.scheme, own.authority, &own.path_cleaned(), own.query);
    }
    if own.path.is_empty() {
        let query = own.query.or(base.query);
        return join(base.scheme, base.authority, base.path, query);
    }
    let path = if own.path.starts_with('/') {
        without_dots(own.path)
    } else if base.authority.is_some() && base.path.is_empty() {
        without_dots(&format!("/{}", own.path))
    } else {
        let folder = base.path.rfind('/').map_or("", |at| &base.path[..=at]);
        without_dots(&format!("{folder}{}", own.path))
    };
    join(base.scheme, base.authority, &path, own.query)
}

impl Parts<'_> {
    fn path_cleaned(&self) -> String {
        if self.path.starts_with('/') { without_dots(self.path) } else { self.path.to_owned() }
    }
}

fn parse(address: &str) -> Parts<'_> {
    let is_scheme = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    };
    let (scheme, rest) = match address.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) => (Some(scheme), rest),
        _ => (None, address),
    };
    let (rest, query) = match rest.split_once('?') {
        Some((rest, query)) => (rest, Some(query)),
        None => (rest, None),
    };
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => {
            let end = rest.find('/').unwrap_or(rest.len());
            (Some(&rest[..end]), &rest[end..])
        }
        None => (None, rest),
    };
    Parts { scheme, authority, path, query }
}

fn join(scheme: Option<&str>, authority: Option<&str>, path: &str, query: Option<&str>) -> String {
    let mut address = String::new();
    if let Some(scheme) = scheme {
        address.push_str(scheme);
        address.push(':');
    }
    if let Some(authority) = authority {
        address.push_str("//");
        address.push_str(authority);
    }
    address.push_str(path);
    if let Some(query) = query {
        address.push('?');
        address.push_str(query);
    }
    address
}

fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let parts: Vec<&str> = path.split('/').collect();
    for (at, part) in parts.iter().enumerate() {
        let last = at + 1 == parts.len();
        match *part {
            "." if last => kept.push(""),
            "." => {}
            ".." => {
                if kept.len() > 1 || kept.first().is_some_and(|first| !first.is_empty()) {
                    kept.pop();
                }
                if last {
                    kept.push("");
                }
            }
            part => kept.push(part),
        }
    }
    kept.join("/")
}

/// The parts of a JSON pointer in a fragment, decoded; `None` for a bad escape.
pub(super) fn pointer_parts(fragment: &str) -> Option<Vec<String>> {
    let decoded = percent_decoded(fragment)?;
    decoded.split('/').skip(1).map(unescaped).collect()
}

/// The place in an array that a part of a pointer names.
pub(super) fn index(name: &str) -> Option<usize> {
    let canonical = name == "0" || !name.starts_with('0');
    let digits = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    if canonical && digits { name.parse().ok() } else { None }
}

fn unescaped(part: &str) -> Option<String> {
    let mut text = String::with_capacity(part.len());
    let mut characters = part.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '~' => match characters.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            },
            other => other,
        });
    }
    Some(text)
}

pub(super) fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let high = char::from(rest.next()?).to_digit(16)?;
        let low = char::from(rest.next()?).to_digit(16)?;
        bytes.push((high * 16 + low) as u8);
    }
    String::from_utf8(bytes).ok()
}
