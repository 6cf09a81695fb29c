import { useQuery } from '@tanstack/react-query';
import { Section } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Time } from '../../components/times/time.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { titleOf } from '../approvals/approval-words.tsx';
import { pendingApprovals, waitingForMe } from '../approvals/waiting.ts';

/** Approvals that this person may decide. Nothing is said where there are none. */
export function WaitingApprovals() {
  const { slug: organization } = useMembership();
  const { data } = useQuery(pendingApprovals(usePlane().trpc));
  const waiting = data === undefined ? [] : waitingForMe(data);
  if (waiting.length === 0) return null;
  return (
    <Section title="Waiting for your approval">
      <Rows label="Waiting for your approval">
        {waiting.map((approval) => (
          <Row
            key={approval.id}
            title={titleOf(approval)}
            badges={<span className="text-soft text-sm">{approval.projectName}</span>}
            link={{ to: '/$organization/approvals/$approval', params: { organization, approval: approval.id } }}
            detail={approval.reason === '' ? undefined : approval.reason}
            facts={
              <span>
                {approval.requestedBy}, <Time at={approval.createdAt} />
              </span>
            }
          />
        ))}
      </Rows>
    </Section>
  );
}
