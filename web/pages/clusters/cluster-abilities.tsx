import { CheckIcon, DashIcon } from '@primer/octicons-react';
import { Section } from '../../components/page.tsx';
import { LastKnown } from '../../components/status.tsx';
import { classes } from '../../components/style.ts';
import { type ClusterAnswer, isInContact } from './cluster-status.tsx';

type Capabilities = ClusterAnswer['capabilities'];
type Flag = { [Name in keyof Capabilities]: Capabilities[Name] extends boolean ? Name : never }[keyof Capabilities];

/** Each capability in the words of somebody who deploys to the cluster. */
const words: Record<Flag, string> = {
  ingressController: 'Route host names to workloads',
  trafficMetrics: 'Measure requests and responses',
  processArgs: 'Run processes with commands and arguments of their own',
  autoBuilds: 'Build images automatically',
  buildOptions: 'Build images with options',
  buildRegistry: 'Keep built images in a registry of its own',
  builderAuto: 'Choose the builder of an image automatically',
  certificateSecrets: 'Use your own certificates',
  dbOperator: 'Run databases with an operator',
  dbOperatorBackupPlugin: 'Back up databases with the operator’s plugin',
  databaseRestore: 'Restore databases from a backup',
  edgeFronting: 'Run behind an edge',
  fileMounts: 'Mount files into processes',
  fixedPorts: 'Run programs that listen on a port of their own choice',
  heldSpecs: 'Hold a change back until it is released',
  heldSuspend: 'Suspend a held change',
  kindMetrics: 'Report metrics by kind of process',
  metricsServer: 'Report the CPU time and memory of instances',
  nodePrivateNet: 'Reach private networks from its nodes',
  privateNet: 'Join a private network',
  releaseCommand: 'Run a command before each release',
};

/** Capabilities of this cluster, and those it lacks, in words. */
function capabilityWords(capabilities: Capabilities): { can: string[]; cannot: string[] } {
  const names = Object.keys(words) as Flag[];
  return {
    can: names.filter((name) => capabilities[name]).map((name) => words[name]),
    cannot: names.filter((name) => !capabilities[name]).map((name) => words[name]),
  };
}

/** The reason why the others are missing. */
function whyNot(driver: string): string {
  if (driver === 'process') return 'Not available on a cluster whose driver starts processes on the machine itself.';
  if (driver === 'docker') return 'Not available on a cluster whose driver starts containers with a Docker engine.';
  return `Not available on a cluster whose driver is ${driver}.`;
}

/** Capabilities of a cluster, those it lacks, and limits of its machine. */
export function ClusterAbilities({ cluster }: { cluster: ClusterAnswer }) {
  const current = isInContact(cluster);
  const { can, cannot } = capabilityWords(cluster.capabilities);
  return (
    <Section title="Capabilities" about={current ? undefined : <LastKnown of={cluster} />}>
      <div className="divide-y divide-line">
        <ul aria-label="Capabilities" className="flex flex-col gap-1.5 px-4 py-3 text-sm">
          {cluster.driver === 'docker' && (
            <Ability current={current}>
              Each instance runs in a container of its own, apart from the machine and the others.
            </Ability>
          )}
          {cluster.notes.map((note) => (
            <Ability key={note} not>
              {note}
            </Ability>
          ))}
          {can.map((text) => (
            <Ability key={text} current={current}>
              {text}
            </Ability>
          ))}
        </ul>
        <details className="group px-4 py-3 text-sm">
          <summary className="w-fit rounded-sm text-soft hover:text-text">Not available ({cannot.length})</summary>
          <p className="mt-2 text-pretty text-soft">{whyNot(cluster.driver)}</p>
          <ul aria-label="Not available" className="mt-2 grid gap-x-6 gap-y-1.5 sm:grid-cols-2">
            {cannot.map((text) => (
              <Ability key={text} not>
                {text}
              </Ability>
            ))}
          </ul>
        </details>
      </div>
    </Section>
  );
}

function Ability({ not = false, current = true, children }: { not?: boolean; current?: boolean; children: string }) {
  return (
    <li className="flex items-start gap-2.5">
      {not ? (
        <DashIcon className="mt-0.5 shrink-0 text-faint" />
      ) : (
        <CheckIcon className={classes('mt-0.5 shrink-0', current ? 'text-good' : 'text-faint')} />
      )}
      <span className="min-w-0 text-pretty">{children}</span>
    </li>
  );
}
