import { useState } from 'react';
import { Button } from '../../components/forms/button.tsx';
import { FormDialog } from '../../components/forms/operation/form-dialog.tsx';
import { Setting } from '../../components/forms/setting.tsx';
import { personPlane, usePlane } from '../../control-plane/plane.ts';
import type { Organization } from './organization.ts';

export function OrganizationName({ organization, mayChange }: { organization: Organization; mayChange: boolean }) {
  const { trpc } = usePlane();
  const [open, setOpen] = useState(false);
  const { id, name } = organization;
  return (
    <Setting title="Name">
      <span className="min-w-0 break-words">{name}</span>
      {mayChange && (
        <Button small onClick={() => setOpen(true)} aria-label="Change the name">
          Change
        </Button>
      )}
      <FormDialog
        operation={trpc.organizations.update}
        path={{ id }}
        current={{ name }}
        fields={{ name: {} }}
        title="Change the name"
        submit="Save"
        succeeded="Name saved"
        // The sidebar shows the name, too.
        done={() => void personPlane.queryClient.invalidateQueries()}
        open={open}
        onClose={() => setOpen(false)}
      />
    </Setting>
  );
}
