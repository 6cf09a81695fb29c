import { readFileSync } from 'node:fs';
import type { Kind } from './kind.ts';

const goMain = (imports: string, words: string): string => `package main

import (
	"io"
	"net/http"
	"os"
${imports})

func main() {
${words}
	if err := http.ListenAndServe(":"+os.Getenv("PORT"), handler); err != nil {
		panic(err)
	}
}
`;

const says = (name: string): string =>
  `func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "Hello from ${name}") }`;

const go: Kind = {
  name: 'go',
  files: {
    'go.mod': 'module example.com/hello\n\ngo 1.21\n',
    'main.go': goMain('', `\thandler := http.HandlerFunc(${says('go')})`),
  },
  answers: { path: '/', includes: 'Hello from go' },
  programs: ['go'],
  detected: { provider: 'go', framework: '', packageManager: 'go', port: 8080 },
};

const chi: Kind = {
  name: 'go-chi',
  files: {
    'go.mod': 'module example.com/hello\n\ngo 1.21\n\nrequire github.com/go-chi/chi/v5 v5.1.0\n',
    'go.sum': `github.com/go-chi/chi/v5 v5.1.0 h1:acVI1TYaD+hhedDJ3r54HyA6sExp3HfXq7QWEEY/xMw=
github.com/go-chi/chi/v5 v5.1.0/go.mod h1:DslCQbL2OYiznFReuXYUmQ2hGd1aDpCnlMNITLSKoi8=
`,
    'cmd/server/main.go': goMain(
      '\n\t"github.com/go-chi/chi/v5"\n',
      `\thandler := chi.NewRouter()\n\thandler.Get("/", ${says('go-chi')})`,
    ),
  },
  answers: { path: '/', includes: 'Hello from go-chi' },
  programs: ['go'],
  detected: { provider: 'go', framework: 'chi', packageManager: 'go', port: 8080 },
};

const rust: Kind = {
  name: 'rust-hyper',
  files: {
    'Cargo.toml': `[package]
name = "hello"
version = "1.0.0"
edition = "2021"
rust-version = "1.63"

[dependencies]
hyper = { version = "0.14.32", default-features = false, features = ["server", "http1", "tcp"] }
tokio = { version = "1.38.2", default-features = false, features = ["rt", "net"] }
`,
    // Of versions that a Rust of 2022 compiles, too.
    'Cargo.lock': readFileSync(new URL('hyper.Cargo.lock', import.meta.url), 'utf8'),
    'src/main.rs': `use hyper::service::{make_service_fn, service_fn};
use hyper::{Body, Error, Response, Server};

fn main() {
    let port = std::env::var("PORT").unwrap().parse().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async move {
        let service = make_service_fn(|_| async {
            Ok::<_, Error>(service_fn(|_| async { Ok::<_, Error>(Response::new(Body::from("Hello from rust-hyper"))) }))
        });
        Server::bind(&([0, 0, 0, 0], port).into()).serve(service).await.unwrap();
    });
}
`,
  },
  answers: { path: '/', includes: 'Hello from rust-hyper' },
  programs: ['cargo', 'rustc', 'cc'],
  detected: { provider: 'rust', framework: 'hyper', packageManager: 'cargo', port: 8080 },
};

export const compiledKinds: readonly Kind[] = [go, chi, rust];
