import { capabilitiesOf } from '../../../domain/clusters/capabilities.ts';
import { Problem } from '../../../domain/problems.ts';
import { withFile } from '../../../domain/repository-config/overlay.ts';
import { filesFault } from '../../../domain/services/file-faults.ts';
import { processFaults } from '../../../domain/services/process-faults.ts';
import { volumesFault } from '../../../domain/services/volumes.ts';
import type { Effect } from '../../engine/effect.ts';
import { type EnvironmentMachine, machineOf } from '../../environments/machine.ts';
import type { EnvironmentRef } from '../environment-ref.ts';
import { hasImage, type PlannedService } from './plan.ts';

type Service = Pick<PlannedService, 'name' | 'settings' | 'suspended' | 'reused'>;

/** Refuses what could not run: settings that do not fit each other, or need more than the cluster has. */
export async function refuseUnfit(
  { kysely }: Effect,
  place: EnvironmentRef,
  { affected: asked }: { affected: readonly Service[] },
): Promise<void> {
  const affected = asked.map((one) => ({ ...one, settings: withFile(one.settings, one.reused?.file) }));
  for (const { name, settings } of affected) {
    for (const process of Object.values(settings.processes)) {
      const [fault] = processFaults(process);
      if (fault === undefined) continue;
      throw new Problem('conflict', `The process ${process.name} of ${name}: ${fault.field} ${fault.message}.`);
    }
    const fault = volumesFault(settings) ?? filesFault(settings);
    if (fault !== undefined) throw new Problem('conflict', `${name}: ${fault}.`);
  }
  const starting = affected.filter((service) => hasImage(service) && !service.suspended);
  if (starting.length === 0) return;
  const where = await machineOf(kysely, place);
  for (const service of starting) {
    refuseReleaseCommand(service, where);
    refuseFiles(service, where);
    refuseFixedPort(service, where);
  }
}

/** A release command that nobody would run is no release command. */
function refuseReleaseCommand({ name, settings }: Service, { cluster, facts }: EnvironmentMachine): void {
  if (settings.releaseCommand.length === 0 || capabilitiesOf(facts).releaseCommand) return;
  const who = cluster === undefined ? 'The environment has no cluster' : `The cluster "${cluster}" does not run it`;
  throw new Problem(
    'capability-missing',
    `The release command of "${name}" would not run. ${who} (capability releaseCommand): unset it and run it in another way, then apply again.`,
  );
}

function refuseFiles({ name, settings }: Service, { cluster, facts }: EnvironmentMachine): void {
  if (settings.files.length === 0 || capabilitiesOf(facts).fileMounts) return;
  const who = cluster === undefined ? 'The environment has no cluster' : `The cluster "${cluster}" does not make them`;
  throw new Problem(
    'capability-missing',
    `The files of "${name}" would not be there. ${who} (capability fileMounts): update its agent, or unset them, then apply again.`,
  );
}

function refuseFixedPort({ name, settings }: Service, { cluster, facts }: EnvironmentMachine): void {
  const fixed = Object.values(settings.processes).find(({ fixedPort }) => fixedPort === true);
  if (fixed === undefined || capabilitiesOf(facts).fixedPorts) return;
  const why = facts?.holds.fixedPorts?.why ?? 'Its agent is older than fixed ports: update it.';
  const who = cluster === undefined ? 'The environment has no cluster' : `The cluster "${cluster}" cannot give it one`;
  throw new Problem(
    'capability-missing',
    `The process ${fixed.name} of "${name}" has a fixed port. ${who} (capability fixedPorts). ${cluster === undefined ? '' : `${why} `}Unset fixedPort if the program reads PORT, then apply again.`,
  );
}
