import { CheckIcon, DashIcon } from '@primer/octicons-react';
import { Link } from '@tanstack/react-router';
import { Copyable } from '../../components/copyable.tsx';
import { Fact, Facts, Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { Badge, LastKnown, Told } from '../../components/status.tsx';
import { classes } from '../../components/style.ts';
import { Table } from '../../components/table/table.tsx';
import { nameColumn } from '../../components/table/usual-columns.tsx';
import { Time } from '../../components/times/time.tsx';
import { wholeList } from '../../control-plane/pages.ts';
import { useMembership } from '../../control-plane/session.ts';
import { driverWord, LastHeard } from './cluster-columns.tsx';
import { type ClusterAnswer, isInContact, useCluster } from './cluster-status.tsx';
import { ClusterWorkloads } from './cluster-workloads.tsx';

const gibibyte = 2 ** 30;
const rounded = (amount: number) => Number(amount.toFixed(1));

/** Machines of a cluster. */
export function ClusterNodes({ cluster }: { cluster: ClusterAnswer }) {
  const { nodes } = cluster;
  return (
    <Section title="Nodes">
      <Table
        label="Nodes"
        pages={wholeList(nodes, ({ name }) => name)}
        columns={[
          nameColumn<(typeof nodes)[number]>(({ server }) => server && nodes.length > 1 && <Badge>server</Badge>),
          { label: 'CPU', cell: ({ cpuMilli }) => `${rounded(cpuMilli / 1_000)} CPU`, width: '6rem' },
          { label: 'Memory', cell: ({ memoryBytes }) => `${rounded(memoryBytes / gibibyte)} GiB`, width: '6rem' },
          {
            label: 'State',
            cell: ({ ready }) => (
              <Told of={cluster} tone={ready ? 'good' : 'fault'}>
                {ready ? 'Ready' : 'Not ready'}
              </Told>
            ),
            width: '12rem',
          },
        ]}
        empty={null}
      />
    </Section>
  );
}

/** Overview of a cluster: workloads, nodes, facts and capabilities. */
export function ClusterOverview() {
  const query = useCluster();
  return (
    <Loaded query={query}>
      {(cluster) => (
        <>
          <ClusterWorkloads cluster={cluster} />
          {cluster.nodes.length > 0 && <ClusterNodes cluster={cluster} />}
          <Section title="Facts">
            <ClusterFacts cluster={cluster} />
          </Section>
          {cluster.driver !== '' && <ClusterAbilities cluster={cluster} />}
        </>
      )}
    </Loaded>
  );
}

function ClusterFacts({ cluster }: { cluster: ClusterAnswer }) {
  return (
    <Facts>
      <Fact label="Contact">
        <LastHeard cluster={cluster} />
      </Fact>
      {cluster.driver !== '' && <MachineFacts cluster={cluster} />}
      {cluster.region !== '' && <Fact label="Region">{cluster.region}</Fact>}
      <Fact label="New workloads">
        {cluster.schedulable ? 'Accepted' : 'Refused; existing workloads can still be changed'}
      </Fact>
      <Fact label="Short name">
        <Copyable text={cluster.slug} label="short name" />
      </Fact>
      <Fact label="Id">
        <Copyable text={cluster.id} label="id" />
      </Fact>
      <Fact label="Created">
        <Time at={cluster.createdAt} />
      </Fact>
    </Facts>
  );
}

/** Facts reported by the agent; empty until one has connected. */
function MachineFacts({ cluster }: { cluster: ClusterAnswer }) {
  const { slug } = useMembership();
  const { ingressIPs } = cluster.capabilities;
  return (
    <>
      <Fact label="Runs applications as">{driverWord(cluster.driver)}</Fact>
      <Fact label="Runtime">{cluster.runtimeVersion}</Fact>
      <Fact label="Addresses">
        {ingressIPs.length === 0 ? (
          <>
            None: no ingress runs on its machine <LastKnown of={cluster} />
          </>
        ) : (
          <span className="flex flex-wrap gap-x-4">
            {ingressIPs.map((address) => (
              <Copyable key={address} text={address} label="address" />
            ))}
            <LastKnown of={cluster} />
          </span>
        )}
      </Fact>
      <Fact label="Agent">
        <Link
          to="/$organization/clusters/$cluster/agent"
          params={{ organization: slug, cluster: cluster.id }}
          className="rounded-sm underline decoration-line underline-offset-3 hover:decoration-current"
        >
          Version {cluster.agentVersion}
        </Link>
      </Fact>
    </>
  );
}

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
function ClusterAbilities({ cluster }: { cluster: ClusterAnswer }) {
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
