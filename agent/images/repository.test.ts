import { expect, test } from 'vitest';
import { repositoryOf } from './repository.ts';

test.each([
  ['app', false, 'https://registry-1.docker.io/', 'library/app'],
  ['team/app', false, 'https://registry-1.docker.io/', 'team/app'],
  ['docker.io/app', false, 'https://registry-1.docker.io/', 'library/app'],
  ['registry.example.com/app', false, 'https://registry.example.com/', 'app'],
  ['registry.example.com:5000/a/b/c', true, 'http://registry.example.com:5000/', 'a/b/c'],
  ['registry.example.com:443/app', true, 'http://registry.example.com:443/', 'app'],
  ['localhost/app', false, 'http://localhost/', 'app'],
  ['127.0.0.2:5000/app', false, 'http://127.0.0.2:5000/', 'app'],
  ['[::1]:5000/app', false, 'http://[::1]:5000/', 'app'],
  ['10.0.0.1:5000/app', false, 'https://10.0.0.1:5000/', 'app'],
])('%s is where everybody looks for it', (name, insecure, registry, path) => {
  expect(repositoryOf(name, insecure)).toEqual({ registry: new URL(registry), path });
});
