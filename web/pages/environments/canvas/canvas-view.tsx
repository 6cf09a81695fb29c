import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { LoadingRows } from '../../../components/loading.tsx';
import { Card, WithPanel } from '../../../components/page.tsx';
import { ErrorState } from '../../../components/states.tsx';
import { useList } from '../../../control-plane/by-slug.ts';
import { useWhole } from '../../../control-plane/pages.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import { usePageKeys } from '../../../frame/palette/page-keys.ts';
import type { EnvironmentAnswer } from '../use-environment.ts';
import type { ServiceOverview } from '../use-overview.ts';
import { Canvas } from './canvas.tsx';
import { type Placed, placedOf } from './nodes.ts';
import { ServicePanel } from './service-panel.tsx';

interface CanvasViewProps {
  environment: EnvironmentAnswer;
  overviews: readonly ServiceOverview[];
}

/** The canvas of an environment, and the panel of the service that is open; that one stands in the address. */
export function CanvasView({ environment, overviews }: CanvasViewProps) {
  const { id, name, projectId } = environment;
  const { trpc } = usePlane();
  const navigate = useNavigate();
  const { open } = useSearch({ strict: false });
  const services = useList(trpc.services.list, { path: { id: projectId }, query: { environmentId: id } });
  useWhole(services, true);
  const { items, whole } = services;
  const placed = useMemo(() => placedOf(overviews, items ?? []), [overviews, items]);
  const show = (service: Placed | undefined) =>
    void navigate({
      to: '.',
      search: (({ open: _, ...before }: { open?: string }) =>
        service === undefined ? before : { ...before, open: service.slug }) as never,
      replace: true,
      resetScroll: false,
    });
  const shown = placed.find(({ slug }) => slug === open);
  usePageKeys({ Escape: shown && (() => show(undefined)) });
  if (services.query.isError) {
    return (
      <Card>
        <ErrorState error={services.query.error} retry={() => void services.query.refetch()} />
      </Card>
    );
  }
  // Drawn once: boxes would jump while the rest arrives.
  if (!whole) return <LoadingRows />;
  return (
    <WithPanel
      panel={
        shown && {
          title: shown.name,
          onClose: () => show(undefined),
          children: <ServicePanel environment={environment} service={shown} all={placed} onShow={show} />,
        }
      }
    >
      <Card>
        <Canvas name={name} projectId={projectId} services={placed} open={open} onOpen={show} />
      </Card>
    </WithPanel>
  );
}
