import { expect, test } from 'vitest';
import { answerSentence, hostCheckOf, leadsToHttps } from './answer-faults.ts';

const asked = { path: '/', host: 'hello.example.com' };

// Bodies as the frameworks write them: Django 5.2, Rails 8.0, Vite 7.1, webpack-dev-server 5.2, Starlette 0.48, Symfony 7.3.
test.each([
  ['django', 400, '\n<title>Bad Request (400)</title>\n</head>\n<body>\n  <h1>Bad Request (400)</h1><p></p>\n</body>'],
  ['django', 400, "<pre>Invalid HTTP_HOST header: 'x'. You may need to add 'x' to ALLOWED_HOSTS.</pre>"],
  ['rails', 403, '<h1>Blocked hosts: hello.example.com</h1>'],
  ['rails', 403, '<h1>Blocked host: hello.example.com</h1>'],
  ['vite', 403, 'Blocked request. This host ("hello.example.com") is not allowed.'],
  ['webpack', 403, 'Invalid Host header'],
  ['starlette', 400, 'Invalid host header'],
  ['symfony', 400, 'Untrusted Host "hello.example.com".'],
] as const)('the refusal of a host by %s is known: %i', (by, status, body) => {
  expect(hostCheckOf(status, body)).toBe(by);
  expect(answerSentence({ kind: 'host', status, by, ...asked })).toMatch(
    new RegExp(`refuses requests for the host hello\\.example\\.com with ${status}: add that name to `),
  );
});

test('other answers are no refusal of a host, whatever they say', () => {
  expect(hostCheckOf(400, 'The field name is missing.')).toBeUndefined();
  expect(hostCheckOf(200, 'A page about ALLOWED_HOSTS')).toBeUndefined();
  expect(hostCheckOf(500, 'Blocked hosts: x')).toBeUndefined();
  expect(hostCheckOf(403, 'said before: Invalid Host header')).toBeUndefined();
});

test('a redirect to https counts where it leads to the same host', () => {
  expect(leadsToHttps(301, 'https://hello.example.com/', asked.host)).toBe(true);
  expect(leadsToHttps(308, 'https://HELLO.example.com:443/x', asked.host)).toBe(true);
  expect(leadsToHttps(302, 'https://accounts.example.com/', asked.host)).toBe(false);
  expect(leadsToHttps(302, '/login', asked.host)).toBe(false);
  expect(leadsToHttps(301, 'http://hello.example.com/', asked.host)).toBe(false);
  expect(leadsToHttps(200, 'https://hello.example.com/', asked.host)).toBe(false);
  expect(leadsToHttps(301, undefined, asked.host)).toBe(false);
});

test('a path that is missing is named beside the one that is there', () => {
  const fault = { kind: 'path', status: 404, path: '/healthz', host: '127.0.0.1', rootStatus: 200 } as const;
  expect(answerSentence(fault)).toBe(
    'GET / was answered with 200: set the path of the check to one that is there, as by `./ballast service set readinessPath=/`, or answer at /healthz.',
  );
});
