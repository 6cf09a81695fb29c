import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Setting } from '../../components/forms/setting.tsx';
import { Section } from '../../components/page.tsx';
import { periodText } from '../../components/times/durations.ts';
import { useChange } from '../../control-plane/change.ts';
import { personPlane, usePlane } from '../../control-plane/plane.ts';
import type { Organization } from './organization.ts';

/** Deletes an organization; its owners can restore it during the retention. */
export function DeleteOrganization({ organization: { id, name, slug } }: { organization: Organization }) {
  const { client, trpc } = usePlane();
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const hours = useQuery(trpc.organizations.getDeletedRetention.queryOptions({ path: { id } })).data?.hours;
  const clusters = useQuery({ ...trpc.clusters.list.queryOptions({ query: { limit: 200 } }), enabled: open }).data;
  const kept = hours === undefined ? 'for a while' : `for ${periodText(hours * 3_600_000)}`;
  const remove = useChange(
    (_: undefined, sent) => client.organizations.delete.mutate({ path: { id }, body: { confirmSlug: slug } }, sent),
    {
      failed: `${name} could not be deleted`,
      succeeded: `${name} deleted`,
      quiet: true,
      done: () => {
        void navigate({ to: '/deleted-organizations' }).then(() => personPlane.queryClient.invalidateQueries());
      },
    },
  );
  return (
    <Section title="Deletion">
      <Setting
        title="Delete the organization"
        about={`Nobody can access it from then on. Owners can restore it ${kept}; then it is purged.`}
      >
        <Button look="danger" onClick={() => setOpen(true)}>
          Delete organization
        </Button>
      </Setting>
      <DeleteDialog
        open={open}
        onClose={() => setOpen(false)}
        title={`Delete ${name}?`}
        confirm="Delete organization"
        typed={{ label: `Type ${slug} to confirm`, text: slug }}
        affected={[{ what: 'Clusters that cannot be changed', names: clusters?.items.map((one) => one.name) ?? [] }]}
        change={remove}
        onConfirm={() => remove.send(undefined)}
      >
        <ul className="flex list-disc flex-col gap-1 pl-4">
          <li>Members no longer see it, and its API tokens are refused at once.</li>
          <li>Workloads on its clusters keep running, but cannot be changed.</li>
          <li>Its slug becomes available to others.</li>
          <li>Owners can restore it {kept}, with all that is in it. After that it is purged.</li>
        </ul>
      </DeleteDialog>
    </Section>
  );
}
