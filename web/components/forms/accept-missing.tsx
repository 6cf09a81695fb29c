import { Checkbox } from './form.tsx';

/** Offered once the control plane has named the variables that the target of a promotion lacks. */
export function AcceptMissing({ checked, onChange }: { checked: boolean; onChange: (checked: boolean) => void }) {
  return (
    <Checkbox
      label="Promote without these variables"
      hint="You are not asked again once such a release was live there."
      checked={checked}
      onChange={onChange}
    />
  );
}
