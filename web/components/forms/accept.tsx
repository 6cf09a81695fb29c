import { Checkbox } from './form.tsx';

/** Offered once the control plane has named the services that would be down for a moment. */
export function AcceptDowntime({ checked, onChange }: { checked: boolean; onChange: (checked: boolean) => void }) {
  return (
    <Checkbox
      label="Accept a brief downtime"
      hint="A process with a volume stops before its successor starts. You are not asked again while the same volumes are mounted."
      checked={checked}
      onChange={onChange}
    />
  );
}

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
