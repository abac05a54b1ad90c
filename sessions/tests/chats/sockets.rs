//! The HTTP client against a server on this machine that speaks by a script.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use blueprints_providers::Providers;
use blueprints_sessions::{Api, ApiOptions, Format, Http, Session};
use serde_json::{Value, json};

use crate::fake::response;

/// What a server was sent: the first line, the headers in lower case, the body.
type Seen = (String, String, Value);

/// Serves one response after the other on a port of its own.
fn serve(responses: Vec<(u16, String)>) -> (String, thread::JoinHandle<Vec<Seen>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    let server = thread::spawn(move || {
        let mut seen = Vec::new();
        for (status, body) in responses {
            let (mut stream, _) = listener.accept().expect("a client");
            let mut reader = BufReader::new(stream.try_clone().expect("a second handle"));
            let mut first = String::new();
            reader.read_line(&mut first).expect("a first line");
            let (mut headers, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).expect("a header");
                let line = line.trim().to_lowercase();
                if line.is_empty() {
                    break;
                }
                if let Some(number) = line.strip_prefix("content-length:") {
                    length = number.trim().parse().expect("a length");
                }
                headers = headers + &line + "\n";
            }
            let mut sent = vec![0; length];
            reader.read_exact(&mut sent).expect("a body");
            seen.push((first.trim().into(), headers, serde_json::from_slice(&sent).expect("JSON")));
            let head = format!(
                "HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            stream.write_all(head.as_bytes()).expect("a head");
            stream.write_all(body.as_bytes()).expect("a body");
        }
        seen
    });
    (base, server)
}

fn session(provider: &str, base: String) -> Session<Api<Http>> {
    let options = ApiOptions {
        model: "m".into(),
        base,
        headers: vec![("x-key".into(), "a secret".into())],
        tokens_max: Some(64),
        ..ApiOptions::default()
    };
    let http = Http::new(Duration::from_secs(20));
    Session::new(Api::new(&Providers::builtin(), provider, options, http).expect("a provider"))
}

#[test]
fn requests_go_out_and_answers_come_in() {
    let answer = response("ollama", "{\"a\":1}").to_string();
    let (base, server) = serve(vec![(200, answer)]);
    let mut own = session("ollama", base);
    let schema = json!({ "type": "object", "properties": { "a": { "type": "integer" } } });
    let answer = own.chat_with("One", &Format::JsonSchema(schema.clone())).unwrap();
    assert_eq!(answer.text, "{\"a\":1}");
    let seen = server.join().expect("the server");
    let (first, headers, body) = &seen[0];
    assert_eq!(first, "POST /api/chat HTTP/1.1");
    assert!(headers.contains("content-type: application/json\n"), "{headers}");
    assert!(headers.contains("x-key: a secret\n"), "{headers}");
    let message = json!([{ "role": "user", "content": "One" }]);
    let wanted = json!({ "model": "m", "messages": message, "stream": false, "format": schema,
        "options": { "num_predict": 64 } });
    assert_eq!(*body, wanted);
}

#[test]
fn errors_have_their_status_and_their_words() {
    let refused = (429, json!({ "error": { "message": "slow down" } }).to_string());
    let (base, server) = serve(vec![refused, (502, "bad gateway".into()), (200, "<html>".into())]);
    let mut own = session("openai_chat", base);
    let said: Vec<String> = (0..3).map(|_| own.chat("x").unwrap_err().to_string()).collect();
    server.join().expect("the server");
    assert_eq!(said[0], "OpenAI Chat Completions: slow down");
    assert_eq!(said[1], "OpenAI Chat Completions: \"bad gateway\"");
    assert!(said[2].contains("the response is not JSON"), "{}", said[2]);
    let nobody = session("openai_chat", "http://127.0.0.1:1".into()).chat("x").unwrap_err();
    assert!(nobody.to_string().starts_with("OpenAI Chat Completions: "), "{nobody}");
}
