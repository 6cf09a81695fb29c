import { Notice } from '../../components/notice.tsx';
import { Status, wordsOf } from '../../components/status.tsx';
import type { Tone } from '../../components/style.ts';
import { Time } from '../../components/times/time.tsx';
import type { Answers } from '../../control-plane/session.ts';

export type ListedApproval = Answers['approvals']['list']['items'][number];
export type ApprovalAnswer = Answers['approvals']['get'];

const decisions: Record<NonNullable<ListedApproval['decision']> | 'pending', { word: string; tone: Tone }> = {
  pending: { word: 'Pending', tone: 'attention' },
  approved: { word: 'Approved', tone: 'good' },
  rejected: { word: 'Rejected', tone: 'fault' },
  expired: { word: 'Expired', tone: 'neutral' },
  superseded: { word: 'Superseded', tone: 'neutral' },
  cancelled: { word: 'Withdrawn', tone: 'neutral' },
};

export function ApprovalStatus({
  of: { decision, waitsForYou },
}: {
  of: Pick<ListedApproval, 'decision' | 'waitsForYou'>;
}) {
  if (waitsForYou === true) return <Status tone="attention">Waits for you</Status>;
  const { word, tone } = wordsOf(decisions, decision ?? 'pending');
  return <Status tone={tone}>{word}</Status>;
}

export const kindWords: Record<ListedApproval['kind'], string> = {
  'change-set': 'Staged changes',
  deploy: 'Deployment',
  rollback: 'Rollback',
  promote: 'Promotion',
};

/** "Staged changes of Production" */
export function titleOf({ kind, environmentName }: Pick<ListedApproval, 'kind' | 'environmentName'>): string {
  return `${kindWords[kind]} of ${environmentName}`;
}

type Broken = Pick<ApprovalAnswer, 'decidedBy' | 'decidedAt' | 'decisionReason' | 'brokenGlass'>;

/** Says of a change that an owner passed its approval in place of somebody else, and why; nothing of any other. */
export function BrokenGlass({ approval: { decidedBy, decidedAt, decisionReason, brokenGlass } }: { approval: Broken }) {
  if (!brokenGlass || decidedAt === undefined) return null;
  return (
    <Notice tone="fault" title="Approved by break-glass">
      <p>
        {decidedBy} passed the approval in place of another administrator or owner, <Time at={decidedAt} />:{' '}
        {decisionReason}
      </p>
    </Notice>
  );
}
