import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { z } from 'zod';
import { sliceKey } from '../../../protocol/desired.ts';
import { digest, partName } from '../../../protocol/workload.ts';
import { Refusal } from '../../program/refusal.ts';
import type { InstanceSpec } from '../driver.ts';
import { filesOf } from '../instance-file.ts';
import { LogFile } from './logs/log-file.ts';
import { type Streams, streams } from './logs/logs.ts';
import type { Places } from './places.ts';
import { runNumbers } from './runs.ts';

const instanceId = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,60}[a-z0-9])?$/);
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,255}$/);

/** Names become paths and arguments here, so they are checked again. */
export function checkSpec(spec: InstanceSpec): void {
  check(instanceId, spec.id, 'an instance');
  check(sliceKey, spec.key, 'a workload');
  check(digest, spec.image.digest, 'an image');
  for (const [name, value] of Object.entries(spec.environment)) {
    check(variable, name, 'a variable');
    if (value.includes('\0')) throw new Refusal(`The variable ${name} contains a zero byte; remove it.`);
  }
  for (const argument of [...spec.process.command, ...spec.process.args])
    if (argument.includes('\0')) throw new Refusal('An argument contains a zero byte; remove it.');
  filesOf(spec);
  for (const { name, path } of spec.volumes) {
    check(partName, name, 'a volume');
    if (
      !path.startsWith('/') ||
      path === '/' ||
      posix.normalize(path).replace(/\/$/, '') !== path.replace(/\/$/, '') ||
      path.includes('\0')
    )
      throw new Refusal(`The volume ${name} cannot be mounted at ${JSON.stringify(path)}: name a plain absolute path.`);
  }
}

function check(schema: z.ZodType, value: string, what: string): void {
  if (!schema.safeParse(value).success) throw new Refusal(`${JSON.stringify(value)} cannot be the name of ${what}.`);
}

/** The instances of a home, as their directories tell them. What never changes is read once. */
export class InstanceFiles {
  readonly #places: Places;
  readonly #specs = new Map<string, InstanceSpec>();
  readonly #logs = new Map<string, Streams>();

  constructor(places: Places) {
    this.#places = places;
  }

  ids(): string[] {
    const ids = readdirSync(this.#places.instances).filter((name) => !name.startsWith('.'));
    for (const known of [...this.#specs.keys(), ...this.#logs.keys()]) if (!ids.includes(known)) this.forget(known);
    return ids;
  }

  /** The instance's directory; undefined if there is no such instance. */
  directory(id: string): string | undefined {
    if (!instanceId.safeParse(id).success) return undefined;
    const directory = this.#places.instance(id);
    return existsSync(directory) ? directory : undefined;
  }

  spec(id: string): InstanceSpec {
    let spec = this.#specs.get(id);
    if (spec === undefined) {
      spec = JSON.parse(readFileSync(join(this.#places.instance(id), 'spec.json'), 'utf8')) as InstanceSpec;
      this.#specs.set(id, spec);
    }
    return spec;
  }

  /** Of the slice that it is of; undefined if it cannot be read, or is being removed. */
  keyOf(id: string): string | undefined {
    try {
      return this.spec(id).key;
    } catch {
      return undefined;
    }
  }

  logs(id: string): Streams {
    let streams = this.#logs.get(id);
    if (streams === undefined) {
      const at = (name: string) => new LogFile(join(this.#places.instance(id), name));
      streams = { stdout: at('stdout'), stderr: at('stderr') };
      this.#logs.set(id, streams);
    }
    return streams;
  }

  /** The control groups it was last started in. */
  groups(id: string): string[] {
    return groupsIn(this.#places.instance(id));
  }

  port(id: string): number | undefined {
    const file = join(this.#places.instance(id), 'port');
    return existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
  }

  /** A text that differs when an instance came, began a run or ended one. Notes when logs grew, too. */
  look(): string {
    const seen = this.ids().map((id) => {
      for (const stream of streams) this.logs(id)[stream].look();
      const directory = this.#places.instance(id);
      const number = runNumbers(directory).at(-1) ?? 0;
      return `${id} ${number} ${existsSync(join(directory, 'runs', String(number), 'exit'))}`;
    });
    return seen.join();
  }

  forget(id: string): void {
    this.#specs.delete(id);
    this.#logs.delete(id);
  }
}

export function groupsIn(directory: string): string[] {
  const file = join(directory, 'groups');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}
