import { CheckIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CopyBlock } from '../../components/copyable.tsx';
import { Done } from '../../components/dialogs/dialog.tsx';
import { Spinner } from '../../components/loading.tsx';
import { Time } from '../../components/times/time.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMembership } from '../../control-plane/session.ts';

export type Joining = Answers['clusters']['createEnrollmentToken'];

/** Each first contact of an agent is an event, so the latest of them identifies the agent. */
export function useLastArrival(clusterId: string) {
  const { trpc } = usePlane();
  return useQuery({
    ...trpc.clusters.events.queryOptions({ path: { id: clusterId }, query: { limit: 100 } }),
    select: ({ items }) => ({ last: items.find(({ kind }) => kind === 'agent.connected')?.id }),
  });
}

/** The button that led here is unmounted, so the focus moves to the new content. */
const focus = (shown: HTMLElement | null) => shown?.focus();

/** The join command, shown once, and whether the agent has connected. */
export function AgentArrival({
  cluster,
  joining,
  before,
  onClose,
}: {
  cluster: { id: string; name: string };
  joining: Omit<Joining, 'token'>;
  /** The latest arrival before the command was created. */
  before: string | undefined;
  onClose: () => void;
}) {
  const { slug } = useMembership();
  const last = useLastArrival(cluster.id).data?.last;
  const arrived = last !== undefined && last !== before;
  return (
    <div ref={focus} tabIndex={-1} className="flex flex-col gap-3">
      <p className="text-pretty text-soft text-sm">
        Run this on the machine (Linux, x64 or arm64). It fetches the agent from this address and enrols it.
      </p>
      <CopyBlock text={joining.installCommand} label="command" />
      <p className="text-soft text-sm">
        It works once and expires <Time at={joining.expiresAt} />. It is not shown again; you can create another one at
        any time.
      </p>
      <p role="status" className="flex min-h-9 items-center gap-2.5 rounded-lg bg-ground px-3.5 py-2 text-sm">
        {arrived ? (
          <>
            <CheckIcon className="shrink-0 text-good" />
            <span className="min-w-0 flex-1">Connected</span>
            <Link
              to="/$organization/clusters/$cluster"
              params={{ organization: slug, cluster: cluster.id }}
              className="rounded-sm font-medium underline underline-offset-2"
            >
              Open {cluster.name}
            </Link>
          </>
        ) : (
          <>
            <Spinner />
            <span>Waiting for the agent…</span>
          </>
        )}
      </p>
      <Done onClose={onClose} />
    </div>
  );
}
