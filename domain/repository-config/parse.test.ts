import { describe, expect, test } from 'vitest';
import { fc } from '../../test/run/drawn.ts';
import { emptyEffective } from './effective.ts';
import { parseRepositoryConfig } from './parse.ts';
import { mostProblems } from './problems.ts';

const base = (text: string) => {
  const { base: effective, problems } = parseRepositoryConfig(text);
  expect(problems).toEqual([]);
  return effective;
};
const told = (text: string) =>
  parseRepositoryConfig(text).problems.map(({ line, path, message }) => `${line} ${path}: ${message}`);

const none = {
  ...{ kind: '', entrypoint: [], cmd: [], schedule: '', cpu: {}, memory: {}, metrics: { path: '' } },
  checks: { startup: '', readiness: '', liveness: '' },
};

describe('a file says', () => {
  test.each<[string, string, object]>([
    ['nothing', '', {}],
    ['nothing but a comment', '# Later\n', {}],
    [
      'a Dockerfile, which names the builder',
      'dockerfile: deploy/Dockerfile',
      { builder: 'dockerfile', dockerfile: 'deploy/Dockerfile' },
    ],
    ['a stage, which names the builder', 'target: runtime', { builder: 'dockerfile', target: 'runtime' }],
    ['the builder alone', 'builder: auto', { builder: 'auto' }],
    [
      'a release command',
      'releaseCommand: [node, migrate.js, 5]\nreleaseCommandTimeoutSeconds: 60',
      { releaseCommand: ['node', 'migrate.js', '5'], releaseCommandTimeoutSeconds: 60 },
    ],
    ['dependencies', 'dependsOn: [api, worker-2]', { dependsOn: ['api', 'worker-2'] }],
    ['JSON', '{"env": {"A": "b"}}', { env: { A: 'b' } }],
    ['names of prototypes', 'env: {constructor: x, toString: y}', { env: { constructor: 'x', toString: 'y' } }],
  ])('%s', (_, text, wanted) => {
    expect(base(text)).toEqual({ ...emptyEffective, ...wanted });
  });

  test('values of variables and arguments as they are written', () => {
    const text = 'env:\n  A: 1.10\n  B: true\n  C: ""\n  D: 0x1F\n  E: |-\n    x\n    y\nbuildArgs: {NODE: 22}';
    expect(base(text)).toMatchObject({
      env: { A: '1.10', B: 'true', C: '', D: '0x1F', E: 'x\ny' },
      buildArgs: { NODE: '22' },
    });
  });

  test('processes', () => {
    const text = `
processes:
  web:
    kind: http
    entrypoint: [node, server.js]
    cmd: [--port, 8080]
    port: 8080
    fixedPort: true
    replicas: 2
    runAsUser: 1000
    checks: {startup: /up, readiness: /ready, liveness: /live}
    cpu: {request: 100m, limit: 500}
    memory: {request: 64Mi, limit: 1G}
    drainSeconds: 5
    stabilizationSeconds: 0
    metrics: {enabled: true, path: /numbers, port: 9090}
  nightly: {kind: cron, schedule: 0 3 * * *}
  other: {}
`;
    expect(base(text)).toMatchObject({
      hasProcesses: true,
      processes: [
        {
          ...{ name: 'web', kind: 'http', entrypoint: ['node', 'server.js'], cmd: ['--port', '8080'], port: 8080 },
          fixedPort: true,
          ...{ replicas: 2, runAsUser: 1000, drainSeconds: 5, stabilizationSeconds: 0, schedule: '' },
          checks: { startup: '/up', readiness: '/ready', liveness: '/live' },
          ...{ cpu: { request: 100, limit: 500 }, memory: { request: 67_108_864, limit: 1_000_000_000 } },
          metrics: { enabled: true, path: '/numbers', port: 9090 },
        },
        { ...none, name: 'nightly', kind: 'cron', schedule: '0 3 * * *' },
        { ...none, name: 'other' },
      ],
    });
  });

  test('services and databases', () => {
    const { services, databases, problems } = parseRepositoryConfig(
      'env: {A: b}\nservices:\n  api: {context: apps/api, env: {C: d}}\n  site: {builder: auto}\ndatabases: [sqldb]',
    );
    expect(problems).toEqual([]);
    expect(databases).toEqual(['sqldb']);
    expect(services).toEqual([
      { name: 'api', context: 'apps/api', effective: { ...emptyEffective, env: { C: 'd' } } },
      { name: 'site', context: '', effective: { ...emptyEffective, builder: 'auto' } },
    ]);
  });
});

describe('a problem names line, key and what is allowed', () => {
  test.each<[string, string[]]>([
    [
      'enf: {A: b}',
      [
        '1 enf: "enf" is no key here. Did you mean "env"? Allowed are builder, dockerfile, target, buildArgs, env, processes, releaseCommand, releaseCommandTimeoutSeconds, dependsOn, mounts, services, databases.',
      ],
    ],
    [
      '# x\nprocesses:\n  web:\n    prot: 80',
      [
        expect.stringMatching(
          /^4 processes\.web\.prot: "prot" is no key here\. Did you mean "port"\? Allowed are kind, /,
        ) as never,
      ],
    ],
    ['DependsOn: [a]', [expect.stringContaining('Did you mean "dependsOn"?') as never]],
    ['- a', ['1 : must be a map of keys and values.']],
    ['just text', ['1 : must be a map of keys and values.']],
    ['env: text', ['1 env: must be a map of keys and values.']],
    ['env:\n  A:', ['2 env.A: must be a text; write "" for an empty one.']],
    ['env:\n  A: [b]', ['2 env.A: must be a text; write "" for an empty one.']],
    ['env:\n  1A: b', ['2 env.1A: must be a name of letters, digits and _, without a digit at its beginning.']],
    ['env: {PORT: 80}', ['1 env.PORT: is set by Ballast: give the process its port.']],
    [
      'env: {A: "${{db.URL}}"}',
      ['1 env.A: has a reference (${{…}}), which is not resolved in a file: set it as a variable of the service.'],
    ],
    ['env: {__proto__: b}', ['1 env.__proto__: is a name that is not allowed.']],
    ['env: {A: "x\\0y"}', ['1 env.A: has a control character, or half of a character: leave it out.']],
    ['env:\n  "A\\0": b', ['2 env: has a control character, or half of a character: leave it out.']],
    ['builder: magic', ['1 builder: must be one of auto, dockerfile.']],
    [
      'builder: auto\ndockerfile: Dockerfile',
      ['1 builder: must be dockerfile, or left out, where the file names a Dockerfile or a target.'],
    ],
    ['dockerfile: ../Dockerfile', ['1 dockerfile: must be a path inside of the source, such as apps/web.']],
    ['dockerfile: /etc/passwd', ['1 dockerfile: must be a path inside of the source, such as apps/web.']],
    ['dockerfile: 5', ['1 dockerfile: must be a text; numbers and the like are written in quotes.']],
    ['dockerfile: ""', ['1 dockerfile: is empty: leave the key out.']],
    ['target: a b', ['1 target: must be the name of a stage of the Dockerfile.']],
    ['target: --push', []],
    [
      'releaseCommand: node migrate.js',
      ['1 releaseCommand: must be a list of texts that is not empty, such as [node, migrate.js].'],
    ],
    ['releaseCommand: [[a]]', ['1 releaseCommand[0]: must be a text of one value.']],
    ['releaseCommandTimeoutSeconds: 0', ['1 releaseCommandTimeoutSeconds: must be a whole number from 1 to 86,400.']],
    [
      'releaseCommandTimeoutSeconds: .inf',
      ['1 releaseCommandTimeoutSeconds: must be a whole number from 1 to 86,400.'],
    ],
    ['dependsOn: [A]', ['1 dependsOn: must be a list of slugs of services.']],
    ['dependsOn: [a, a]', ['1 dependsOn: has a more than once.']],
    ['mounts: []', [expect.stringMatching(/^1 mounts: are not taken from the file yet/) as never]],
    ['processes: {}', ['1 processes: has no process: leave the key out.']],
    [
      'processes: {Web: {}}',
      ['1 processes.Web: must be a name of 1 to 40 lower case letters, digits and hyphens, a letter first.'],
    ],
    ['processes: {web: null}', ['1 processes.web: must be a map of keys and values.']],
    ['processes: {web: {port: 70000}}', ['1 processes.web.port: must be a whole number from 1 to 65,535.']],
    ['processes: {web: {port: null}}', ['1 processes.web.port: must be a whole number from 1 to 65,535.']],
    ['processes: {web: {port: "80"}}', ['1 processes.web.port: must be a whole number from 1 to 65,535.']],
    ['processes: {web: {schedule: 0 3 * * *}}', ['1 processes.web.schedule: is for processes of kind: cron.']],
    ['processes: {a: {kind: cron}}', ['1 processes.a.schedule: is missing: a cron process needs one.']],
    [
      'processes: {a: {kind: cron, schedule: 0 0 30 2 *}}',
      ['1 processes.a.schedule: names no moment that ever comes.'],
    ],
    [
      'processes: {a: {kind: worker, checks: {readiness: /}}}',
      ['1 processes.a.checks: asks a port, and the process has none.'],
    ],
    [
      'processes: {a: {checks: {readiness: up}}}',
      ['1 processes.a.checks.readiness: must be empty or a path that begins with /.'],
    ],
    ['processes: {a: {cpu: {limit: 100, request: 200}}}', ['1 processes.a.cpu: request is more than the limit.']],
    [
      'processes: {a: {memory: {limit: 1MB}}}',
      ['1 processes.a.memory.limit: must be a whole number, or one with a unit of Ki, Mi, Gi, k, M, G.'],
    ],
    ['processes: {a: {metrics: {enabled: yes}}}', ['1 processes.a.metrics.enabled: must be true or false.']],
    ['services: {Api: {}}', ['1 services.Api: must be the slug of a service: lower case letters, digits and hyphens.']],
    [
      'services: {api: {context: ../x}}',
      ['1 services.api.context: must be a path inside of the source, such as apps/web.'],
    ],
    ['services: {api: {services: {}}}', [expect.stringContaining('"services" is no key here') as never]],
    ['databases: sqldb', ['1 databases: must be a list of texts that is not empty, such as [sqldb].']],
    ['databases: [../x]', ['1 databases: must be a list of names of templates, such as [sqldb].']],
    ['env: {A: b}\nenv: {C: d}', ['2 env: "env" is on line 1 already.']],
    ['env:\n  A: b\n  A: c', ['3 env.A: "A" is on line 2 already.']],
  ])('%j', (text, wanted) => {
    expect(told(text)).toEqual(wanted);
  });
});

describe('a hostile file', () => {
  const deep = (open: string) => open.repeat(6_000);
  test.each<[string, string, string]>([
    ['aliases', 'env: &a {A: b}\nbuildArgs: *a', 'Aliases (*name) are not allowed'],
    ['anchors', 'env: &a {A: b}', 'Anchors (&name) are not allowed'],
    [
      'ten billion laughs',
      `a: &a [x,x]\n${Array.from({ length: 30 }, (_, n) => `b${n}: &b${n} [*a,*a,*a]`).join('\n')}`,
      'not allowed',
    ],
    ['merge keys', 'x: &x {A: b}\nenv: {<<: *x}', 'Aliases (*name) are not allowed'],
    ['tags', 'env: !!binary aGk=', 'The tag tag:yaml.org,2002:binary is not allowed'],
    ['tags of its own', 'env: !env {A: b}', 'The tag !env is not allowed'],
    ['several documents', 'env: {A: b}\n---\nenv: {A: c}', 'The file is no YAML here'],
    ['a list as a key', '? [a]\n: b', 'A key must be a text'],
    ['deep lists', deep('['), 'nested too deeply'],
    ['deep maps', deep('{a: '), 'nested too deeply'],
    ['deep blocks', deep('- '), 'nested too deeply'],
    ['deep keys', deep('? '), 'nested too deeply'],
    ['many bytes', `# ${'x'.repeat(70_000)}`, 'larger than 24 KiB'],
    ['many values', `env: [${'a,'.repeat(12_000)}]`, 'too many values'],
    [
      'many processes',
      `processes: {${Array.from({ length: 21 }, (_, n) => `p${n}: {}`).join(',')}}`,
      'more than 20 processes',
    ],
    [
      'many variables',
      `env: {${Array.from({ length: 201 }, (_, n) => `A${n}: b`).join(',')}}`,
      'more than 200 entries',
    ],
    ['bytes that are no text', '\u0000\u0001\uFFFD', 'must be a map'],
    ['a half of YAML', 'env: {A: "b', 'The file is no YAML here'],
    ['tabs', 'env:\n\tA: b', 'The file is no YAML here'],
  ])('%s is refused', (_, text, why) => {
    expect(told(text).join('\n')).toContain(why);
  });

  test.each([
    'dockerfile: "a#b"',
    'buildArgs: {A: "#"}',
    'env: {"A#": b}',
    'releaseCommand: [a, "#"]',
    'dependsOn: ["a#"]',
    'processes: {web: {entrypoint: ["#"], checks: {readiness: "/#"}, metrics: {path: "/#"}}}',
    'services: {"a#": {context: "x#"}}',
    '"x#": 1',
  ])('%s holds nothing that PostgreSQL cannot store', (form) => {
    for (const sign of ['\\0', '\\x1b', '\\uD800', '\\uDC00a']) {
      const read = parseRepositoryConfig(form.replaceAll('#', sign));
      expect(read.problems.map(({ message }) => message)).toContain(
        'has a control character, or half of a character: leave it out.',
      );
      expect(JSON.stringify(read)).not.toMatch(/\\u(?:00|d[89a-f])/i);
    }
  });

  test('is told of with fifty problems at most, in one line each', () => {
    const text = Array.from({ length: 500 }, (_, n) => `"k\\e[31m${n}\\n": x`).join('\n');
    const { problems } = parseRepositoryConfig(text);
    expect(problems).toHaveLength(mostProblems + 1);
    expect(problems.at(-1)?.message).toBe('950 further problems are not listed.');
    expect(JSON.stringify(problems)).not.toMatch(/\\u001b|\\n/);
  });

  test('never throws, whatever it is', () => {
    const words = fc.constantFrom(
      'env',
      'processes',
      ':',
      ' ',
      '\n',
      '  ',
      '- ',
      '[',
      ']',
      '{',
      '}',
      '"',
      '&a',
      '*a',
      '!',
      '?',
      '|',
      '>',
      '#',
      '---',
      'web',
      '1',
      '%',
    );
    const few = { numRuns: 50 };
    fc.assert(
      fc.property(fc.array(words, { maxLength: 40 }), (text) => void parseRepositoryConfig(text.join(''))),
      few,
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => void parseRepositoryConfig(text)),
      few,
    );
  });
});
