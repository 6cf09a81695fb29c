import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Page } from '../../../components/page.tsx';
import { BuildList } from './build-list.tsx';

const at = '/$organization/builds';
const route = getRouteApi(at);

/** The builds of all services in all environments, the newest first. */
export function AllBuilds() {
  const { status } = route.useSearch();
  const navigate = useNavigate({ from: at });
  return (
    <Page title="Builds" about="Images that are built of folders and commits, for all services." width="wide">
      <BuildList status={status} onStatus={(search) => void navigate({ search, replace: true } as never)} />
    </Page>
  );
}
