import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processDriver } from '../../agent/drivers/process/process-driver.ts';
import { ImageStore } from '../../agent/images/image-store.ts';
import { Ingress } from '../../agent/ingress/ingress.ts';
import { Keeper } from '../../agent/keep/keeper.ts';
import type { RolloutRecord } from '../../agent/keep/plan/rollout-record.ts';
import { RolloutFiles } from '../../agent/keep/rollout-files.ts';
import type { Desired } from '../../protocol/desired.ts';

/** Where a keeper ends by kill -9: right after its first write of a rollout's record, or right before its second one. */
export type DiesWhen = 'after' | 'before';

export interface DyingKeeper {
  home: string;
  dies: DiesWhen;
  wanted: Desired;
}

/** A keeper in a process of its own, on a machine that others have kept before it. */
async function main({ home, dies, wanted }: DyingKeeper): Promise<void> {
  const log = { info: () => {}, warn: () => {} };
  const images = new ImageStore(join(home, 'images'), { limitBytes: 1e9, maxImageBytes: 1e9 });
  const entry = fileURLToPath(new URL('../../agent/ingress/main.ts', import.meta.url));
  const program = [process.execPath, '--disable-warning=ExperimentalWarning', entry];
  const ingress = new Ingress({ home, port: 0, listen: '127.0.0.1', program, log });
  await ingress.ensure();
  const driver = await processDriver({ home, log });
  const keeper = new Keeper({ home, driver, images, ingress, node: 'here', journal: 'kept', log });
  endAtWrites(dies);
  await keeper.start();
  await keeper.desire(wanted);
  const look = () => {
    const phase = keeper.observed().slices[0]?.rollout?.phase;
    const isOver = keeper.observed().slices[0]?.rollout?.id === wanted.slices[0]?.workload?.rollout?.id;
    if (isOver && (phase === 'done' || phase === 'returned')) die('over');
  };
  keeper.onChange(look);
  look();
}

/** Ends this process where a record is written that differs by more than its message. */
function endAtWrites(dies: DiesWhen): void {
  const { save } = RolloutFiles.prototype;
  let writes = 0;
  RolloutFiles.prototype.save = function (this: RolloutFiles, records: ReadonlyMap<string, RolloutRecord>): boolean {
    const news = [...records].find(([key, record]) => contentOf(record) !== contentOf(this.records.get(key)));
    if (news !== undefined && dies === 'before' && writes > 0) die(news[1].rollout.phase);
    const changed = save.call(this, records);
    if (news !== undefined) writes += 1;
    if (news !== undefined && dies === 'after') die(news[1].rollout.phase);
    return changed;
  };
}

function contentOf(record: RolloutRecord | undefined): string {
  if (record === undefined) return '';
  const { progress: _, rollout, ...rest } = record;
  return JSON.stringify({ ...rest, rollout: { ...rollout, message: undefined } });
}

function die(at: string): void {
  writeSync(1, `${at}\n`);
  process.kill(process.pid, 'SIGKILL');
}

await main(JSON.parse(readFileSync(0, 'utf8')));
