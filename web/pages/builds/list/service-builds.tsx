import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { OneAction } from '../../../components/actions/one-action.tsx';
import { Section } from '../../../components/page.tsx';
import { Loaded } from '../../../components/states.tsx';
import { type Placed, useService } from '../../services/use-service.ts';
import { useBuildTools } from '../build-actions.tsx';
import { BuildList } from './build-list.tsx';
import { buildNow } from './build-now.tsx';

const at = '/$organization/p/$project/e/$environment/s/$service/builds';
const route = getRouteApi(at);

/** The builds of a service for an environment, the newest first. */
export function ServiceBuilds() {
  return <Loaded query={useService()}>{(placed) => <Builds {...placed} />}</Loaded>;
}

function Builds(placed: Placed) {
  const { service, environment } = placed;
  const { status } = route.useSearch();
  const navigate = useNavigate({ from: at });
  const build = buildNow(placed, useBuildTools());
  return (
    <Section title="Builds" bare actions={build !== undefined && <OneAction action={build} />}>
      <div className="flex flex-col gap-3">
        <BuildList
          of={{ environmentId: environment.id, serviceId: service.id }}
          status={status}
          onStatus={(search) => void navigate({ search, replace: true } as never)}
        />
      </div>
    </Section>
  );
}
