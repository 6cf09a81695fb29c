import { ChecklistIcon } from '@primer/octicons-react';
import { EmptyState } from '../../../components/states.tsx';

/** Beside the list while none of it is chosen. */
export function NoneChosen() {
  return (
    <div className="pt-24">
      <EmptyState icon={<ChecklistIcon />} title="No approval is chosen">
        Choose one to see what it changes and what that touches.
      </EmptyState>
    </div>
  );
}
