import { getRouteApi, Link } from '@tanstack/react-router';
import { ButtonLink } from '../../../components/forms/button.tsx';
import { asSentence } from '../../../components/forms/operation/values.ts';
import { Fact, Facts } from '../../../components/page.tsx';
import { LastKnown } from '../../../components/status.tsx';
import { BriefTime } from '../../../components/times/time.tsx';
import { deploymentLink } from '../../deployments/deployment-words.ts';
import { EveryAddress } from '../../services/service-addresses.tsx';
import { ServiceHealth } from '../../services/service-health.tsx';
import { SuspensionButton } from '../../services/service-suspension.tsx';
import { servedText } from '../../services/words/service-words.ts';
import type { EnvironmentAnswer } from '../use-environment.ts';
import { isAdded } from '../use-overview.ts';
import type { Placed } from './nodes.ts';
import { GlanceLine } from './service-box.tsx';
import { glanceOf } from './service-glance.ts';

const route = getRouteApi('/$organization/p/$project/e/$environment');
const at = '/$organization/p/$project/e/$environment/s/$service';

interface ServicePanelProps {
  environment: EnvironmentAnswer;
  service: Placed;
  all: readonly Placed[];
  onShow: (service: Placed) => void;
}

/** A service of the canvas: what its row in the table shows, whom it needs and who needs it, and the way to its pages. */
export function ServicePanel({ environment, service, all, onShow }: ServicePanelProps) {
  const { overview, needs, volumes } = service;
  const { activeDeployedAt, replicasReady, replicasDesired, message } = overview;
  const byId = new Map(all.map((one) => [one.id, one]));
  const reasons = [...Map.groupBy(needs, ({ id }) => id)];
  const needing = all.filter((one) => one.needs.some(({ id }) => id === service.id));
  return (
    <>
      <Facts>
        <Fact label="Health">
          <ServiceHealth of={overview} />
        </Fact>
        <Fact label="Deployment">
          <Deployment service={service} />
          {message !== '' && <p className="mt-1 text-soft">{message}</p>}
        </Fact>
        <Fact label="Serves">
          {servedText(overview)}
          {activeDeployedAt !== undefined && !overview.suspended && (
            <span className="text-soft">
              , live since <BriefTime at={activeDeployedAt} />
            </span>
          )}
        </Fact>
        <Fact label="Instances">
          {replicasReady} of {replicasDesired} ready <LastKnown of={overview} />
        </Fact>
        <Fact label="Address">
          <EveryAddress of={overview} inside={false} />
        </Fact>
        <Fact label="Within the environment">
          <EveryAddress of={overview} inside />
        </Fact>
        {volumes.length > 0 && <Fact label="Volumes">{volumes.map(({ name }) => name).join(', ')}</Fact>}
        {reasons.length > 0 && (
          <Fact label="Needs">
            <ul>
              {reasons.map(([id, why]) => (
                <li key={id}>
                  <Other name={why[0]?.name ?? ''} service={byId.get(id)} onShow={onShow} />
                  <span className="text-soft">{whyText(why)}</span>
                </li>
              ))}
            </ul>
          </Fact>
        )}
        {needing.length > 0 && (
          <Fact label="Needed by">
            <ul>
              {needing.map((one) => (
                <li key={one.id}>
                  <Other name={one.name} service={one} onShow={onShow} />
                </li>
              ))}
            </ul>
          </Fact>
        )}
      </Facts>
      {isAdded(overview) && <Ways environment={environment} service={service} />}
    </>
  );
}

function Deployment({ service: { overview } }: { service: Placed }) {
  const { organization } = route.useParams();
  const deployment = overview.pendingDeployment ?? overview.failedDeployment;
  const glance = <GlanceLine glance={glanceOf(overview)} />;
  if (deployment === undefined) return glance;
  return (
    <Link {...deploymentLink(deployment, organization)} className="block rounded-sm hover:underline">
      {glance}
    </Link>
  );
}

function Other({ name, service, onShow }: { name: string; service: Placed | undefined; onShow: (to: Placed) => void }) {
  if (service === undefined) return <>{name}, which is not in this environment</>;
  return (
    <button type="button" onClick={() => onShow(service)} className="rounded-sm underline underline-offset-3">
      {name}
    </button>
  );
}

function whyText(why: Placed['needs']): string {
  const keys = why.flatMap((one) => one.keys);
  return keys.length > 0 ? ` by ${keys.join(', ')}` : ' by order of deployment';
}

function Ways({ environment, service: { slug, overview } }: { environment: EnvironmentAnswer; service: Placed }) {
  const params = { ...route.useParams(), service: slug };
  const ways = ['deployments', 'logs', 'variables', 'processes', 'settings'] as const;
  return (
    <div className="flex flex-wrap gap-2 border-line border-t p-4">
      <ButtonLink look="strong" small to={at} params={params}>
        Open
      </ButtonLink>
      {ways.map((way) => (
        <ButtonLink key={way} small to={`${at}/${way}`} params={params}>
          {asSentence(way)}
        </ButtonLink>
      ))}
      <span className="ml-auto">
        <SuspensionButton overview={overview} environment={environment} />
      </span>
    </div>
  );
}
