import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { Badge } from '../../components/status.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay } from '../../control-plane/session.ts';
import { ThingPage } from '../../frame/fallbacks/thing-page.tsx';
import { useVisited } from '../../frame/palette/recent.ts';
import { About } from './about.tsx';
import { ActorStatus } from './actor-status.tsx';
import { ExportButton } from './export-button.tsx';
import { askAgainAfter } from './moving.ts';
import { Pending } from './pending.tsx';
import { Stages } from './stages.tsx';
import { History } from './timeline/history.tsx';

const route = getRouteApi('/$organization/workflows/$workflow');

/** One workflow of any kind: what, why and who; its stages; its history. */
export function Workflow() {
  const { trpc } = usePlane();
  const { workflow } = route.useParams();
  const mayExport = useMay('admin');
  const actor = useQuery(
    trpc.workflows.get.queryOptions(
      { path: { id: workflow } },
      { refetchInterval: ({ state }) => askAgainAfter(state.data) },
    ),
  );
  useVisited('workflow', workflow, actor.data?.title);
  return (
    <ThingPage query={actor} noun="Workflow" width="wide">
      {(data) => (
        <Page
          title={data.title}
          width="wide"
          status={
            <>
              <ActorStatus actor={data} />
              {data.stuck && <Badge tone="attention">stuck</Badge>}
            </>
          }
          actions={mayExport && <ExportButton actor={data} />}
        >
          {data.blocker !== '' && (
            <Notice tone="attention" title="Stuck">
              {data.blocker}
            </Notice>
          )}
          <About actor={data} />
          <Stages actor={data} />
          {/* A single pending step on its first attempt is already named above. */}
          {(data.pending.length > 1 || data.pending.some(({ attempt }) => attempt > 1)) && (
            <Pending pending={data.pending} />
          )}
          <History key={data.id} actor={data} />
        </Page>
      )}
    </ThingPage>
  );
}
