import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../machine/test-ground.ts';
import type { RestoreVolumeBody, StoredArchive } from '../../protocol/volume.ts';
import { applied, type KeptMachine, keptMachine, through, wanted } from '../../test/agents/kept-machine.ts';
import { until } from '../../test/ground/until.ts';
import { type Bucket, bucketsAreThere, startBucket } from '../../test/registry/bucket.ts';
import type { Run } from '../commands/run.ts';
import { Places } from '../drivers/process/places.ts';
import { Volumes } from '../drivers/process/volumes.ts';
import type { Keeper } from '../keep/keeper.ts';
import { backupVolume } from './backup-volume.ts';
import { endInterruptedRestore, restoreVolume } from './restore-volume.ts';
import type { Standing } from './standstill.ts';

const home = temporaryFolder();
const key = 'env/a/b';

function running() {
  const [stopping, told, marks]: [AbortController, unknown[], string[]] = [new AbortController(), [], []];
  const run: Run = {
    ...{ id: crypto.randomUUID(), starts: 1, signal: stopping.signal, began: (mark) => void marks.push(mark) },
    output: (_, bytes) => void told.push(JSON.parse(String(bytes))),
  };
  return { run, stopping, told, marks };
}

/** A machine of whose volumes `data` has a file with this text. */
function volumesWith(text: string) {
  const places = new Places(mkdtempSync(join(home, 'home-')));
  const volumes = new Volumes(places);
  write(volumes, 'data', text);
  return { places, volumes };
}

function write(volumes: Volumes, name: string, text: string): void {
  mkdirSync(volumes.path(key, name), { recursive: true });
  writeFileSync(join(volumes.path(key, name), 'text'), text);
}

const text = (volumes: Volumes, name = 'data') => readFileSync(join(volumes.path(key, name), 'text'), 'utf8');

describe('a replacement', () => {
  const restored: RestoreVolumeBody = {
    kind: 'restore-volume',
    key,
    volume: 'data',
    keptAs: 'old',
    from: { kept: 'new' },
  };
  const replacement = { key, name: 'data', by: 'new', keptAs: 'old' };

  test('puts one directory in the place of another, which goes on under another name', () => {
    const { volumes } = volumesWith('before');
    write(volumes, 'new', 'after');
    volumes.replace(replacement);
    expect([text(volumes), text(volumes, 'old')]).toEqual(['after', 'before']);
    expect(() => volumes.replace(replacement)).toThrow('nothing by which data could be replaced');
    write(volumes, 'new', 'later');
    expect(() => volumes.replace(replacement)).toThrow('The name old is taken');
  });

  /** The names that an agent has left that was killed before, between and behind its two renames. */
  const states = { before: ['data', 'new'], between: ['old', 'new'], behind: ['old', 'data'] };
  test.each(Object.entries(states))(
    'that an agent was killed in %s its renames is finished by the next one',
    async (_, names) => {
      const { places, volumes } = volumesWith('before');
      write(volumes, 'new', 'after');
      // The killed agent's state, by the names that its two directories have.
      const [first = '', second = ''] = names;
      if (second === 'data') {
        renameSync(volumes.path(key, 'data'), volumes.path(key, first));
        renameSync(volumes.path(key, 'new'), volumes.path(key, second));
      } else if (first === 'old') renameSync(volumes.path(key, 'data'), volumes.path(key, first));
      writeFileSync(join(places.volumesOf(key), '.replace-old'), JSON.stringify(replacement));
      const later = new Volumes(places);
      expect([text(later), text(later, 'old')]).toEqual(['after', 'before']);
      expect(readdirSync(places.volumesOf(key)).sort()).toEqual(['data', 'old']);
      const end = await endInterruptedRestore(restored, 'replacing', later);
      expect(end).toEqual({ outcome: 'done', exitCode: 0, replaced: { kept: true } });
    },
  );

  test.each([
    ['before it had files', undefined, false],
    ['before it began', undefined, true],
    ['when it was about to', 'replacing', true],
  ] as const)('of an agent that was killed %s leaves the data, and is told as failed', async (_, mark, isStaged) => {
    const { places, volumes } = volumesWith('before');
    // The note that it was killed in writing.
    if (mark !== undefined) writeFileSync(join(places.volumesOf(key), '.replace-old.0a1b2c.new'), '{"key":');
    if (isStaged) writeFileSync(join((await volumes.stage(key, 'old')).path, 'half'), '');
    const body = { ...restored, from: { ...aStore, objectKey: 'o', stored: nothing } };
    const end = await endInterruptedRestore(body, mark, new Volumes(places));
    expect(end).toMatchObject({ outcome: 'failed', message: expect.stringContaining('has the data that it had') });
    expect(text(volumes)).toBe('before');
    expect(readdirSync(places.volumesOf(key))).toEqual(['data']);
  });
});

const nothing = { sha256: 'a'.repeat(64), sizeBytes: 1, archiveBytes: 1 };
const credential = { accessKeyId: 'a', secretAccessKey: 'b', certificateAuthorities: '', allowedRanges: [] };
const aStore = {
  store: { ...credential, endpoint: 'https://s3.test', region: '', bucket: '', prefix: '', pathStyle: true },
};

describe.skipIf(!bucketsAreThere)('an archive', () => {
  let bucket: Bucket;
  let machine: KeptMachine;
  let keeper: Keeper;
  const path = '/app/data';
  beforeAll(async () => {
    [bucket, machine] = [await startBucket('backups/'), await keptMachine()];
    keeper = await machine.keeper();
    const shape = { mounts: [{ volume: 'data', path }], drainSeconds: 1 };
    await keeper.desire(wanted(1, await machine.slice('shop', 1, 'r1', shape, { volumes: [{ name: 'data' }] })), 0);
    await applied(keeper, 1);
  });
  afterAll(async () => {
    await machine.close();
    await bucket.stop();
  });

  const say = (words: string) => through(machine.url(), 'shop.localhost', `/write?path=data/text&text=${words}`);
  const said = async () => (await through(machine.url(), 'shop.localhost', '/read?path=data/text')).body;
  const store = () => ({ ...bucket.target, allowedRanges: ['127.0.0.0/8'], certificateAuthorities: '' });
  const instances = () => keeper.observed().slices[0]?.instances ?? [];

  async function backup(quiesce = false): Promise<{ objectKey: string; stored: StoredArchive }> {
    const objectKey = `${crypto.randomUUID()}.tar.zst`;
    const body = { kind: 'backup-volume', key: 'shop', volume: 'data', store: store(), objectKey, quiesce } as const;
    const { stored } = await backupVolume(body, running().run, standing());
    if (stored === undefined) throw new Error('The volume was not stored.');
    return { objectKey, stored };
  }

  function restore(from: RestoreVolumeBody['from'], run: Run, keptAs = `r-${crypto.randomUUID()}`) {
    const body: RestoreVolumeBody = { kind: 'restore-volume', key: 'shop', volume: 'data', keptAs, from };
    return restoreVolume(body, run, standing());
  }

  function standing(): Standing {
    return {
      volumes: machine.driver().volumes,
      whileStill: (request, work) => keeper.standstill.during(request, work),
    };
  }

  test('takes the place of a volume, whose process stands still for that alone; what was kept takes its place again', async () => {
    await say('before');
    const stored = await backup();
    await say('after');
    const [old] = instances();
    const { run, told, marks } = running();
    const keptAs = `r-${crypto.randomUUID()}`;
    const result = await restore({ store: store(), ...stored }, run, keptAs);
    expect(result).toEqual({
      outcome: 'done',
      exitCode: 0,
      replaced: { kept: true, stoppedMillis: expect.any(Number) },
    });
    expect(await said()).toContain('before');
    expect(instances().filter(({ state }) => state === 'ready')).toHaveLength(1);
    expect(instances().find(({ state }) => state === 'ready')?.id).not.toBe(old?.id);
    expect(told.at(-1)).toMatchObject({ phase: 'replacing' });
    expect(marks).toEqual(['replacing']);
    const again = running();
    expect(await restore({ kept: keptAs }, again.run)).toMatchObject({ outcome: 'done', replaced: { kept: true } });
    expect(await said()).toContain('after');
    await expect(restore({ kept: keptAs }, running().run)).rejects.toThrow('not on this machine any more');
  });

  test('is made while the process stands still, if it is to be, and the process runs again', async () => {
    await say('still');
    const [before] = instances().filter(({ state }) => state === 'ready');
    const { stored } = await backup(true);
    expect(stored.stoppedMillis).toEqual(expect.any(Number));
    expect(await said()).toContain('still');
    expect(instances().find(({ state }) => state === 'ready')?.id).not.toBe(before?.id);
    expect((await backup()).stored).not.toHaveProperty('stoppedMillis');
  });

  test.each<[string, (one: StoredArchive) => StoredArchive, RegExp]>([
    ['whose bytes are others', (one) => ({ ...one, sha256: 'a'.repeat(64) }), /is not the one that was stored/],
    [
      'for which there is no room',
      (one) => ({ ...one, archiveBytes: 2 ** 52 }),
      /bytes free, and the files of the backup take/,
    ],
  ])('%s is refused, and nothing stands still', async (_, change, message) => {
    await say('mine');
    const { objectKey, stored } = await backup();
    const [running1] = instances().filter(({ state }) => state === 'ready');
    const keptAs = 'r-refused';
    await expect(restore({ store: store(), objectKey, stored: change(stored) }, running().run, keptAs)).rejects.toThrow(
      message,
    );
    expect(instances().find(({ id }) => id === running1?.id)).toMatchObject({ state: 'ready' });
    expect(await said()).toContain('mine');
    expect(readdirSync(join(machine.driver().volumes.path('shop', 'data'), '..'))).not.toContain('.staged-r-refused');
  });

  test.skipIf(process.getuid?.() !== 0)(
    'gives the files of its workload to the user that this has here, and no others',
    async () => {
      const [packed, other] = [volumesWith('before'), volumesWith('after')];
      const from = packed.volumes.path(key, 'data');
      writeFileSync(join(from, 'foreign'), '');
      for (const name of ['', 'text']) chownSync(join(from, name), 61_200, 61_200);
      const objectKey = `${crypto.randomUUID()}.tar.zst`;
      const packing = {
        kind: 'backup-volume',
        key,
        volume: 'data',
        store: store(),
        objectKey,
        quiesce: false,
      } as const;
      const { stored } = await backupVolume(packing, running().run, { ...standing(), volumes: packed.volumes });
      const volumes = new Volumes(other.places, { userOf: () => 61_300 });
      const body: RestoreVolumeBody = {
        ...{ kind: 'restore-volume', key, volume: 'data', keptAs: 'old' },
        from: { store: store(), objectKey, stored: stored ?? nothing },
      };
      const whileStill = async (_: object, work: () => void) => {
        work();
        return {};
      };
      expect(await restoreVolume(body, running().run, { volumes, whileStill })).toMatchObject({ outcome: 'done' });
      const owner = (name: string) => statSync(join(volumes.path(key, 'data'), name)).uid;
      expect([owner(''), owner('text'), owner('foreign')]).toEqual([61_300, 61_300, 0]);
    },
  );

  test('that is cancelled while it is fetched leaves nothing', async () => {
    await say('mine');
    const stored = await backup();
    const { run, stopping, told } = running();
    const result = restore({ store: store(), ...stored, bytesPerSecond: 1 }, run, 'r-cancelled');
    await until('it is fetched', async () => told.length > 0);
    stopping.abort();
    await expect(result).rejects.toThrow();
    expect(await said()).toContain('mine');
    expect(readdirSync(join(machine.driver().volumes.path('shop', 'data'), '..'))).not.toContain('.staged-r-cancelled');
  });
});
