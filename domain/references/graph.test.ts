import { describe, expect, test } from 'vitest';
import { defaultProcess, emptyDefinition, type ServiceSettings } from '../services/settings.ts';
import { changedBy, nodeOf, References, type Referring } from './graph.ts';
import { Names, partsOf, referencesOf, type Variable } from './names.ts';
import { CannotResolve, Resolver } from './resolve.ts';

/** Values by `service.KEY` or `shared.KEY`; secret ones begin with `!`. Services are their own ids, and each has one process. */
function world(values: Record<string, string>, processes: Record<string, string[]> = {}) {
  const variableOf = (name: string): Variable => {
    const [scope = '', key = ''] = name.split('.');
    return { scope: scope === 'shared' ? '' : scope, key };
  };
  const services = [
    ...new Set([...Object.keys(values).map((name) => variableOf(name).scope), ...Object.keys(processes)]),
  ];
  const settings = new Map<string, ServiceSettings>(
    services.map((id) => {
      const own = (processes[id] ?? ['web']).map((name) => [`${id}-${name}`, { ...defaultProcess, name }]);
      return [id, { ...emptyDefinition, processes: Object.fromEntries(own) }];
    }),
  );
  const all = new Map(
    Object.entries(values).map(([name, text]) => {
      const [secret, value] = [text.startsWith('!'), text.replace(/^!/, '')];
      return [nodeOf(variableOf(name)), { ...variableOf(name), value, secret, refers: referencesOf(value) }];
    }),
  );
  const names = new Names(new Map(services.map((id) => [id, id])), settings, (one) => all.has(nodeOf(one)));
  const referring = [...all.values()].flatMap(({ scope, key, refers }): Referring[] =>
    refers === undefined ? [] : [{ scope, key, refers }],
  );
  const references = new References(names, referring);
  const resolver = new Resolver(references, all);
  return {
    references,
    messages: references.dangling().map(({ message }) => message),
    circle: references
      .circle()
      .map((one) => names.labelOf(one))
      .join(' → '),
    resolve: (name: string) => resolver.resolve(variableOf(name)),
    changed: (...from: string[]) =>
      changedBy(references, from.map(variableOf), () => false)
        .map((one) => names.labelOf(one))
        .toSorted(),
  };
}

describe('references that lead nowhere', () => {
  test.each<[string, string, string]>([
    ['a service', '${{dbx.KEY}}', 'api.A refers to dbx.KEY: there is no service "dbx" in this environment'],
    ['one in other case', '${{DB.KEY}}', 'there is no service "DB"'],
    ['a key', '${{db.key}}', 'the service "db" has no variable "key"'],
    ['a shared key', '${{shared.NOT}}', 'there is no shared variable "NOT"'],
    ['an own key', '${{NOT}}', 'the service "api" has no variable "NOT"'],
    ['a process', '${{db.worker.HOST}}', 'has no process "worker" that listens'],
    ['a part', '${{db.web.KEY}}', 'only HOST, PORT, URL can follow'],
    [
      'one of several',
      '${{two.HOST}}',
      'several processes of the service "two" listen: write ${{two.a.HOST}} or ${{two.b.HOST}}',
    ],
    ['nothing that listens', '${{none.URL}}', 'has no process that listens'],
    ['a variable and an address', '${{own.HOST}}', 'write ${{own.web.HOST}} for the address'],
  ])('%s', (_, value, message) => {
    const { messages } = world({ 'api.A': value, 'db.KEY': '1', 'own.HOST': '0.0.0.0' }, { two: ['b', 'a'], none: [] });
    expect(messages).toEqual([expect.stringContaining(message)]);
  });

  test('a name of 300 characters is shortened', () => {
    expect(world({ 'api.A': `\${{${'n'.repeat(300)}.KEY}}` }).messages[0]?.length).toBeLessThan(250);
  });

  test('HOST of a service without an address is its variable; a process is named where there is an own one', () => {
    const { messages, resolve } = world(
      { 'api.A': '${{none.HOST}} ${{own.web.HOST}}', 'none.HOST': 'h', 'own.HOST': 'x' },
      { none: [] },
    );
    expect(messages).toEqual([]);
    expect(resolve('api.A').pieces).toEqual(['h ', { serviceId: 'own', processId: 'own-web', part: 'HOST' }]);
  });
});

describe('circles', () => {
  test('the way over services and shared variables is named', () => {
    const { circle } = world({ 'a.K': '${{b.K}}', 'b.K': '${{shared.K}}', 'shared.K': '${{a.K}}', 'c.K': '${{a.K}}' });
    expect(circle).toBe('a.K → b.K → shared.K → a.K');
  });

  test('a variable that refers to itself', () => {
    expect(world({ 'a.K': 'x${{K}}' }).circle).toBe('a.K → a.K');
  });

  test('services that know each other are none', () => {
    expect(world({ 'a.K': '${{b.HOST}}', 'b.K': '${{a.X}}', 'a.X': '1' }).circle).toBe('');
  });

  test('of 10,000 variables', () => {
    const chain = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`s${at % 5}.K${at}`, `\${{s${(at + 1) % 5}.K${(at + 1) % 10_000}}}`]),
    );
    expect(world(chain).circle.split(' → ')).toHaveLength(10_001);
    const { resolve } = world({ ...chain, 's4.K9999': 'end' });
    expect(resolve('s0.K0').pieces).toEqual(['end']);
  });
});

describe('values', () => {
  test('are put in, over as many as there are, and what a secret was put into is secret', () => {
    const { resolve } = world({
      'api.URL': 'postgres://${{db.USER}}:${{db.PASS}}@${{db.HOST}}/$${{x}}',
      'db.USER': '${{shared.NAME}}',
      'db.PASS': '!hidden ${{USER}}',
      'shared.NAME': 'ada',
    });
    expect(resolve('api.URL')).toEqual({
      secret: true,
      pieces: ['postgres://ada:hidden ada@', { serviceId: 'db', processId: 'db-web', part: 'HOST' }, '/${{x}}'],
    });
    expect(resolve('db.USER')).toEqual({ secret: false, pieces: ['ada'] });
  });

  test('text that was put in is not read again', () => {
    expect(world({ 'a.A': '${{b.B}}', 'b.B': '$${{c.C}}' }).resolve('a.A').pieces).toEqual(['${{c.C}}']);
  });

  test('that double again and again are refused, not made', () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`a.K${at}`, `\${{K${at + 1}}}\${{K${at + 1}}}`]),
    );
    expect(() => world({ ...doubling, 'a.K40': 'x' }).resolve('a.K0')).toThrow(CannotResolve);
  });

  test('others follow when one changes', () => {
    const { changed } = world({
      'a.A': '${{b.B}}',
      'b.B': '${{shared.S}}',
      'c.C': '${{b.X}}',
      'b.X': '1',
      'shared.S': '2',
    });
    expect(changed('shared.S')).toEqual(['a.A', 'b.B', 'shared.S']);
  });
});

test('random graphs: circles, what is reached, what changes and values are those of a naive reference', () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const scopes = ['a', 'b', 'c', 'shared'];
  for (let round = 0; round < 400; round += 1) {
    const all = Array.from({ length: 8 }, (_, at) => `${scopes[random(4)]}.K${at}`);
    const values = Object.fromEntries(
      all.map((name) => {
        const refs = all.filter(() => random(9) === 0).map((one) => `\${{${one}}}`);
        return [name, `${random(6) === 0 ? '!' : ''}<${name}${refs.join('')}>`];
      }),
    );
    const direct = (name: string): string[] =>
      partsOf(values[name] ?? '').flatMap((part) => (typeof part === 'string' ? [] : [part.reference]));
    const reach = (name: string, seen = new Set<string>()): Set<string> => {
      for (const next of direct(name)) if (!seen.has(next)) reach(next, seen.add(next));
      return seen;
    };
    const { circle, changed, resolve } = world(values);
    expect(circle !== '').toBe(all.some((name) => reach(name).has(name)));
    const [one = ''] = all;
    expect(changed(one)).toEqual(all.filter((name) => name === one || reach(name).has(one)).toSorted());
    if (circle !== '') continue;
    const naive = (name: string): string =>
      (values[name] ?? '').replace(/^!/, '').replaceAll(/\$\{\{([^}]+)\}\}/g, (_, next) => naive(next));
    const secret = (name: string): boolean =>
      [name, ...reach(name)].some((next) => values[next]?.startsWith('!') === true);
    for (const name of all) expect(resolve(name)).toEqual({ pieces: [naive(name)], secret: secret(name) });
  }
});
