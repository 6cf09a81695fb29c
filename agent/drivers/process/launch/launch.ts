import { Refusal } from '../../../program/refusal.ts';
import type { InstanceSpec } from '../../driver.ts';
import { filesOf } from '../../instance-file.ts';
import { beneath } from '../beneath.ts';
import type { Places } from '../places.ts';
import { commandOf, defaultPath, programOfMachine, withProgram } from './command-of.ts';
import { launchScript } from './launch-script.ts';
import { fixedPortOf } from './own-network.ts';
import { placeOfFile } from './tree.ts';

/** How a process of the agent becomes one of an instance: with its user, directory and variables, and no others. */
export class Launch {
  readonly setpriv = programOfMachine('setpriv');
  readonly #places: Places;
  readonly #setsid: string;
  readonly #env: string;

  constructor(places: Places) {
    const [setsid, env] = [programOfMachine('setsid'), programOfMachine('env')];
    if (setsid === undefined || env === undefined)
      throw new Refusal('The process driver needs the programs env and setsid (coreutils, util-linux): install them.');
    this.#places = places;
    this.#setsid = setsid;
    this.#env = env;
  }

  /** Throws if the program is not there. */
  check(spec: InstanceSpec): void {
    withProgram(commandOf(spec), spec, this.#places.tree(spec.id));
  }

  /** Standard input of the shell that `become` ends in. */
  script(spec: InstanceSpec, port: number | undefined, command: readonly string[] = commandOf(spec)): string {
    const tree = this.#places.tree(spec.id);
    const told = port === undefined ? undefined : (fixedPortOf(spec.process) ?? port);
    const volumes = spec.volumes.map(({ name, called = name }) => ({
      ...{ called, place: this.#places.volume(spec.key, name) },
    }));
    const places = volumes.map(({ called, place }) => [`VOLUME_${called.toUpperCase().replaceAll('-', '_')}`, place]);
    const files = filesOf(spec).map((file) => [file.told, placeOfFile(tree, spec, file)]);
    return launchScript({
      directory: beneath(tree, spec.image.config.workingDirectory, new Set(volumes.map(({ place }) => place))),
      environment: {
        // As an engine of containers: programs look up where they may write, and find others.
        ...{ PATH: defaultPath, HOME: tree },
        ...Object.fromEntries([...places, ...files]),
        ...spec.environment,
        ...(told !== undefined && { PORT: String(told) }),
      },
      command: withProgram(command, spec, tree),
      env: this.#env,
    });
  }

  /** `shell`: reads the script from its standard input. */
  become(user: number | undefined, shell: readonly string[] = ['/bin/sh', '-s']): string[] {
    if (this.setpriv === undefined) return [...shell];
    const as = user === undefined ? [] : ['--reuid', String(user), '--regid', String(user), '--clear-groups'];
    return [this.setpriv, ...as, '--no-new-privs', '--', ...shell];
  }

  /** The same in a session of its own. */
  becomeLeader(user: number | undefined, shell?: readonly string[]): string[] {
    return [this.#setsid, ...this.become(user, shell)];
  }
}
