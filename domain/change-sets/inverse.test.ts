import { describe, expect, test } from 'vitest';
import { defaultProcess, emptyDefinition, noSource, type ServiceSettings } from '../services/settings.ts';
import { type AppliedItem, type AsItIs, type Inverse, inverseOf } from './inverse.ts';

const settings: ServiceSettings = {
  ...emptyDefinition,
  source: { ...noSource, imageRepository: 'registry.example.com/app:2' },
  processes: { web: { ...defaultProcess, name: 'web', replicas: 3 } },
};
const now: AsItIs = {
  settings,
  variable: { value: '2', secret: false, buildTime: 'no' },
  set: { value: '2', secret: false, buildTime: 'no' },
  earlier: { known: true, value: { value: '1', secret: false, buildTime: 'also' } },
  release: undefined,
};
const item = (given: Partial<AppliedItem> & Pick<AppliedItem, 'kind'>): AppliedItem => ({
  ...{ serviceId: 'api', processId: undefined, volumeId: undefined, key: '', from: undefined, to: undefined },
  ...given,
});

describe('variables', () => {
  const set = item({ kind: 'variable.set', key: 'A' });

  test('the value of before, a secret as a secret', () => {
    expect(inverseOf(set, now)).toMatchObject({
      ...{ kind: 'variable.set', to: '1', secret: false, buildTime: 'also' },
    });
    const earlier = { known: true, value: { value: 'hidden', secret: true, buildTime: 'no' as const } };
    expect(inverseOf(set, { ...now, earlier })).toMatchObject({ to: 'hidden', secret: true });
  });

  test('one that was not there is unset, one that was unset is there again', () => {
    expect(inverseOf(set, { ...now, earlier: { known: true } })).toMatchObject({ kind: 'variable.unset', key: 'A' });
    const unset = item({ kind: 'variable.unset', key: 'A' });
    expect(inverseOf(unset, { ...now, variable: undefined })).toMatchObject({ kind: 'variable.set', to: '1' });
  });

  test('a shared one needs no service', () => {
    const shared = item({ kind: 'variable.set', serviceId: '', key: 'A' });
    expect(inverseOf(shared, { ...now, settings: undefined })).toMatchObject({ serviceId: '', to: '1' });
  });

  test.each<[string, Partial<AsItIs>]>([
    ['it was changed since', { variable: { value: '3', secret: false, buildTime: 'no' } }],
    ['it was changed since', { variable: { value: '2', secret: true, buildTime: 'no' } }],
    ['it was changed since', { variable: { value: '2', secret: false, buildTime: 'also' } }],
    ['it was changed since', { variable: undefined }],
    ['its earlier value is not known any more', { earlier: { known: false } }],
    ['it is as it was before', { earlier: { known: true, value: { value: '2', secret: false, buildTime: 'no' } } }],
    ['its service is not in the environment any more', { settings: undefined }],
  ])('left alone: %s', (reason, so) => expect(inverseOf(set, { ...now, ...so })).toBe(reason));
});

describe('settings', () => {
  const from = { ...noSource, imageRepository: 'registry.example.com/app:1' };
  const source = item({ kind: 'service.set', key: 'source', from, to: settings.source });
  const imageOf = (one: Inverse | string) => (Object(one).to as typeof from).imageRepository;

  test('a tag goes back to the digest that ran, where the release of before is known', () => {
    const release = { source: from, digest: `sha256:${'1'.repeat(64)}` };
    expect(imageOf(inverseOf(source, { ...now, release }))).toBe(`${from.imageRepository}@${release.digest}`);
    expect(imageOf(inverseOf(source, now))).toBe(from.imageRepository);
    const other = { ...release, source: { ...from, imageRepository: 'registry.example.com/other:1' } };
    expect(imageOf(inverseOf(source, { ...now, release: other }))).toBe(from.imageRepository);
  });

  test('of a process; what it need not have is taken away', () => {
    const of = { kind: 'process.set', processId: 'web' } as const;
    expect(inverseOf(item({ ...of, key: 'replicas', from: 1, to: 3 }), now)).toMatchObject({ to: 1 });
    expect(inverseOf(item({ ...of, key: 'replicas', from: 1, to: 2 }), now)).toBe('it was changed since');
    expect(inverseOf(item({ ...of, key: 'port', to: 8080 }), now)).toMatchObject({ to: null });
  });

  test('what was added is removed, and what was deleted is added', () => {
    const of = { processId: 'web', from: { ...defaultProcess, name: 'old' } };
    expect(inverseOf(item({ kind: 'process.create', ...of }), now)).toMatchObject({ kind: 'process.delete' });
    expect(inverseOf(item({ kind: 'process.delete', ...of, processId: 'old' }), now)).toMatchObject({
      ...{ kind: 'process.create', to: { name: 'old' } },
    });
    expect(inverseOf(item({ kind: 'service.create' }), now)).toMatchObject({ kind: 'service.remove' });
  });

  test('data are not guessed: volumes and removed services are named', () => {
    const reasons = (['volume.grow', 'volume.delete', 'service.remove'] as const).map((kind) =>
      inverseOf(item({ kind, processId: 'web' }), now),
    );
    for (const reason of reasons) expect(reason).toBeTypeOf('string');
    const volumes = { data: { name: 'data', mountPath: '/data', sizeBytes: 1, storageClass: '' } };
    const gone = item({ kind: 'process.delete', processId: 'old', from: { ...defaultProcess, name: 'old', volumes } });
    expect(inverseOf(gone, now)).toContain('volumes');
  });
});
