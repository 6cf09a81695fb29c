import { useQuery } from '@tanstack/react-query';
import type { Action } from '../../../components/actions/action.ts';
import { ActionMenu } from '../../../components/actions/action-menu.tsx';
import { deleteAction } from '../../../components/actions/delete-action.tsx';
import { dialogAction } from '../../../components/actions/dialog-action.tsx';
import { formAction } from '../../../components/actions/form-action.tsx';
import { OneAction } from '../../../components/actions/one-action.tsx';
import { usePageAction } from '../../../components/actions/use-page-action.tsx';
import { Fact, Facts, Section } from '../../../components/page.tsx';
import { Loaded } from '../../../components/states.tsx';
import { Badge } from '../../../components/status.tsx';
import { usePlane } from '../../../control-plane/plane.ts';
import { counted } from '../../instances/counted.ts';
import { type Placed, useService, useServiceOverview } from '../use-service.ts';
import { groups, kindWord, type ProcessAnswer } from './process-fields.tsx';
import { ProcessRuns } from './process-runs.tsx';
import { ProcessVolumes, useAddVolume } from './process-volumes.tsx';
import { ProcessCommand } from './restart-process.tsx';
import { VolumeBackups } from './volume-backups.tsx';
import { VolumeRestores } from './volume-restores.tsx';

/** How the image starts, as far as that can be told: there may be no image yet, or its registry does not answer. */
export function CommandOfImage({ service, environment }: Placed) {
  const { trpc } = usePlane();
  const asked = { path: { id: service.id }, query: { environmentId: environment.id } };
  const { data } = useQuery(trpc.releases.imageConfig.queryOptions(asked, { retry: false, staleTime: 60_000 }));
  const words = data === undefined ? [] : [...data.entrypoint, ...data.cmd];
  if (words.length === 0) return 'That of the image';
  return (
    <>
      That of the image: <code className="break-all">{words.join(' ')}</code>
    </>
  );
}

/** The processes of a service in an environment, with the settings that are wanted there. */
export function ServiceProcesses() {
  return <Loaded query={useService()}>{(placed) => <Processes {...placed} />}</Loaded>;
}

function Processes({ service, environment }: Placed) {
  const { trpc } = usePlane();
  const query = { environmentId: environment.id };
  const processes = useQuery(trpc.processes.list.queryOptions({ path: { id: service.id }, query }));
  const { button, dialog } = usePageAction(
    'make',
    formAction({
      role: 'deployer',
      label: 'Add a process',
      operation: trpc.processes.create,
      path: { id: service.id },
      query,
      fields: { name: { placeholder: 'worker', mono: true }, ...groups[1]?.fields },
      start: { kind: 'worker' },
      submit: 'Stage',
      succeeded: 'Process staged',
      touches: [trpc.changeSets.pathKey()],
    }),
  );
  return (
    <Loaded query={processes}>
      {({ items }) => (
        <>
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="text-soft">
              Programs of one image. Changes are staged; they take effect when they are deployed.
            </p>
            {button}
          </div>
          {items.map((process) => (
            <Process key={process.id} process={process} service={service} environment={environment} />
          ))}
          <VolumeBackups service={service} environment={environment} />
          <VolumeRestores service={service} environment={environment} />
          {dialog}
        </>
      )}
    </Loaded>
  );
}

function Process({ process, service, environment }: Placed & { process: ProcessAnswer }) {
  const { trpc } = usePlane();
  const { id, name, kind } = process;
  const runs = useServiceOverview({ service, environment })?.activeReleaseId !== undefined;
  const shared = {
    role: 'deployer',
    path: { id },
    query: { environmentId: environment.id },
    touches: [trpc.changeSets.pathKey()],
  } as const;
  const addVolume = useAddVolume({ process, environmentId: environment.id });
  const restart = dialogAction({
    role: 'deployer',
    label: 'Restart',
    title: `Restart ${name}`,
    content: (close) => (
      <ProcessCommand kind="restart" process={process} environmentId={environment.id} onClose={close} />
    ),
  });
  const run = dialogAction({
    role: 'deployer',
    label: 'Run now',
    title: `Run ${name} now`,
    content: (close) => <ProcessCommand kind="run" process={process} environmentId={environment.id} onClose={close} />,
  });
  const actions: Action[] = [
    ...groups
      .filter(({ of }) => of(process))
      .map(({ label, fields }) =>
        formAction({
          ...shared,
          label,
          title: `${label}: ${name}`,
          operation: trpc.processes.change,
          current: process,
          fields,
          submit: 'Stage',
          succeeded: `Changes of ${name} staged`,
        }),
      ),
    ...(kind === 'cron' ? [] : [addVolume]),
    ...(runs && kind !== 'cron' ? [restart] : []),
    deleteAction({
      ...shared,
      noun: 'process',
      name,
      operation: trpc.processes.delete,
      succeeded: `${name} staged to be deleted`,
      consequences: `It stops in ${environment.name} once the staged changes are deployed.`,
    }),
  ];
  return (
    <Section
      title={name}
      actions={
        <div className="flex items-center gap-1">
          {runs && kind === 'cron' && <OneAction action={run} small />}
          <ActionMenu label={`Actions for ${name}`} actions={actions} />
        </div>
      }
    >
      <ProcessFacts process={process} placed={{ service, environment }} />
      {runs && kind === 'cron' && <ProcessRuns process={process} environment={environment} />}
      <ProcessVolumes process={process} environmentId={environment.id} environmentName={environment.name} />
    </Section>
  );
}

function ProcessFacts({ process, placed }: { process: ProcessAnswer; placed: Placed }) {
  const { kind, replicas, command, args, port, schedule, timeZone, readinessPath, livenessPath } = process;
  const { cpuLimitMilli, memoryLimitBytes, stabilizationSeconds, drainSeconds } = process;
  return (
    <Facts>
      <Fact label="Kind">
        {kindWord[kind]} {port !== undefined && <Badge>port {port}</Badge>}
      </Fact>
      {kind === 'cron' ? (
        <Fact label="Schedule">
          <code>{schedule}</code> in {timeZone}
        </Fact>
      ) : (
        <Fact label="Instances">{replicas}</Fact>
      )}
      <Fact label="Command">
        {command.length + args.length === 0 ? (
          <CommandOfImage {...placed} />
        ) : (
          <code>{[...command, ...args].join(' ')}</code>
        )}
      </Fact>
      {kind === 'http' && (
        <Fact label="Checks">
          {[readinessPath && `ready at ${readinessPath}`, livenessPath && `alive at ${livenessPath}`]
            .filter(Boolean)
            .join(', ') || 'A connection to its port'}
        </Fact>
      )}
      <Fact label="Limits">
        {[
          cpuLimitMilli !== undefined && `${cpuLimitMilli / 1000} of a core`,
          memoryLimitBytes !== undefined && `${Math.round(memoryLimitBytes / 1e6).toLocaleString('en')} MB of memory`,
        ]
          .filter(Boolean)
          .join(', ') || 'None'}
      </Fact>
      {kind !== 'cron' && (
        <Fact label="Times">
          {counted(stabilizationSeconds, 'second')} to be healthy, {counted(drainSeconds, 'second')} to drain
        </Fact>
      )}
    </Facts>
  );
}
