import { OneAction } from '../../components/actions/one-action.tsx';
import { Section } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { useList } from '../../control-plane/by-slug.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useDeploymentTools } from '../deployments/again/deployment-tools.ts';
import { promoteAction } from '../deployments/promotion/promote-action.tsx';
import type { ServiceAnswer } from '../services/use-service.ts';
import type { EnvironmentAnswer } from './use-environment.ts';
import { type ServiceOverview, useOverviews } from './use-overview.ts';
import { useStaging } from './variables/use-staging.ts';

interface ElsewhereProps {
  environment: EnvironmentAnswer;
  /** The services that are there. */
  here: readonly ServiceOverview[];
}

/** The services of the project that an environment lacks, each with the way to add it: none has to be created a second time. */
export function Elsewhere({ environment, here }: ElsewhereProps) {
  const { trpc } = usePlane();
  const { projectId: id } = environment;
  const services = useList(trpc.services.list, { path: { id } }).items ?? [];
  const environments = useList(trpc.environments.list, { path: { id } }).items ?? [];
  const others = environments.filter((one) => one.id !== environment.id && one.kind === 'persistent');
  const there = new Set(here.map(({ serviceId }) => serviceId));
  const absent = services.filter((service) => !there.has(service.id));
  // Most environments lack nothing, and then nobody asks how the others are.
  const overviews = useOverviews(absent.length === 0 ? [] : others.map((one) => one.id));
  if (absent.length === 0) return null;
  return (
    <Section title="In other environments" about={`Services of this project that ${environment.name} lacks.`}>
      <Rows label="In other environments">
        {absent.map((service) => {
          const serves = others.findIndex((_, index) => runsIn(overviews[index], service.id) !== undefined);
          const release = runsIn(overviews[serves], service.id);
          const origin = others[serves];
          return (
            <Row
              key={service.id}
              title={service.name}
              detail={
                origin === undefined || release === undefined
                  ? 'Nothing of it is live'
                  : `Release ${release.number} in ${origin.name}`
              }
              actions={
                origin === undefined || release === undefined ? (
                  <StageHere service={service} environment={environment} />
                ) : (
                  <AddHere service={service} environment={environment} from={origin.name} release={release} />
                )
              }
            />
          );
        })}
      </Rows>
    </Section>
  );
}

interface Live {
  id: string;
  number: number;
}

function runsIn(overview: readonly ServiceOverview[] | undefined, serviceId: string): Live | undefined {
  const found = overview?.find((one) => one.serviceId === serviceId);
  const { activeReleaseId: id, activeReleaseNumber: number } = found ?? {};
  return id === undefined || number === undefined ? undefined : { id, number };
}

interface Placed {
  service: ServiceAnswer;
  environment: EnvironmentAnswer;
}

function AddHere({ service, environment, from, release }: Placed & { from: string; release: Live }) {
  const tools = useDeploymentTools();
  const named = { serviceId: service.id, serviceName: service.name, environmentName: from };
  const promotion = { ...named, releaseId: release.id, releaseNumber: release.number };
  return <OneAction action={promoteAction(promotion, environment, tools, { adds: true })} small />;
}

function StageHere({ service, environment }: Placed) {
  const { put } = useStaging(environment.id, {
    failed: `${service.name} could not be staged`,
    succeeded: `${service.name} staged`,
  });
  const body = { kind: 'service.create' as const, serviceId: service.id };
  return (
    <OneAction
      action={{
        role: 'deployer',
        label: `Stage in ${environment.name}`,
        act: () => put.send({ body, name: service.name }),
      }}
      small
    />
  );
}
