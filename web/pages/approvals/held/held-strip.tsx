import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { OneAction } from '../../../components/actions/one-action.tsx';
import { BriefTime, ExactTime } from '../../../components/times/time.tsx';
import { usePlane } from '../../../control-plane/plane.ts';
import { useMembership, useSession } from '../../../control-plane/session.ts';
import { BrokenGlass, type ListedApproval, titleOf } from '../approval-words.tsx';
import { waitsFor } from '../decide.tsx';
import { decision, withdrawal } from '../decisions.tsx';

/** Above the pages of an environment, or of one of its services: what is held there for an approval. */
export function HeldThere({ environmentId, serviceId }: { environmentId: string; serviceId?: string }) {
  const { held } = useHeldThere(environmentId, serviceId);
  return held.map((approval) => <HeldStrip key={approval.id} approval={approval} />);
}

/** The oldest first. */
export function useHeldThere(
  environmentId: string,
  serviceId?: string,
): { held: ListedApproval[]; isPending: boolean } {
  const { trpc } = usePlane();
  const query = { state: 'pending', environmentId, order: 'oldest', limit: 100 } as const;
  const { data, isPending } = useQuery(trpc.approvals.list.queryOptions({ query }));
  const held = (data?.items ?? []).filter((approval) => serviceId === undefined || concerns(approval, serviceId));
  return { held, isPending };
}

/** Where it is decided on. */
export function ApprovalLink({ approval }: { approval: ListedApproval }) {
  const { slug: organization } = useMembership();
  return (
    <Link
      to="/$organization/approvals/$approval"
      params={{ organization, approval: approval.id }}
      className="underline underline-offset-3"
    >
      {titleOf(approval)}
    </Link>
  );
}

/** On the page of a deployment: its approval while that is pending, and for good that it was passed by break-glass. */
export function ApprovalOf({ approvalId }: { approvalId: string | undefined }) {
  const { trpc } = usePlane();
  const { data } = useQuery(
    trpc.approvals.get.queryOptions({ path: { id: approvalId ?? '' } }, { enabled: approvalId !== undefined }),
  );
  if (data === undefined) return null;
  return data.decision === undefined ? <HeldStrip approval={data} /> : <BrokenGlass approval={data} />;
}

interface Concerned {
  releases?: { serviceId: string }[];
  removed?: { id: string }[];
}

function concerns({ target, impact }: ListedApproval, serviceId: string): boolean {
  const { releases = [] } = (target ?? {}) as Concerned;
  const { removed = [] } = (impact ?? {}) as Concerned;
  return releases.some((one) => one.serviceId === serviceId) || removed.some(({ id }) => id === serviceId);
}

/** Whose decision a change waits for, since when and until when; with the buttons of those who may decide or withdraw it. */
function HeldStrip({ approval }: { approval: ListedApproval & { stale?: boolean } }) {
  const { trpc } = usePlane();
  const { requestedBy, requestedById, createdAt, expiresAt, waitsForYou, whyNotYou, stale } = approval;
  const own = useSession()?.user.id === requestedById;
  const withdraw = withdrawal(approval, trpc);
  return (
    <section
      aria-label={`Held: ${titleOf(approval)}`}
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-xl border border-attention-line bg-attention-ground px-4 py-2.5 text-sm"
    >
      <div className="min-w-0 flex-1 basis-72">
        <p className="font-medium">
          {waitsForYou === true ? 'Held for your decision: ' : 'Held for an approval: '}
          <ApprovalLink approval={approval} />
        </p>
        <p className="text-pretty">
          {waitsForYou === true ? '' : `${waitsFor(whyNotYou)} `}
          Requested by {requestedBy} <BriefTime at={createdAt} />, expires <ExactTime at={expiresAt} />.
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-1">
        {waitsForYou === true && stale !== true && <OneAction small action={decision('approve', approval)} />}
        {waitsForYou === true && <OneAction small action={decision('reject', approval)} />}
        {withdraw !== undefined && (own || waitsForYou !== true) && <OneAction small action={withdraw} />}
      </div>
    </section>
  );
}
