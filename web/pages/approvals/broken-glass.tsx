import { Notice } from '../../components/notice.tsx';
import { Time } from '../../components/times/time.tsx';
import type { ApprovalAnswer } from './approval-words.tsx';

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
