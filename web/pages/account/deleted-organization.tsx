import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { OrganizationMark } from '../../components/avatar.tsx';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { Dialog, SubmitOrCancel } from '../../components/dialogs/dialog.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Form, TextField } from '../../components/forms/form.tsx';
import { ProblemNotice } from '../../components/notice.tsx';
import { Row } from '../../components/rows.tsx';
import { Status } from '../../components/status.tsx';
import { Time } from '../../components/times/time.tsx';
import { type Change, useChange } from '../../control-plane/change.ts';
import { personPlane } from '../../control-plane/plane.ts';
import type { Deletion } from './deletion.ts';

const { client, trpc, queryClient } = personPlane;
const touches = () => [trpc.deletedOrganizations.pathKey()];

/** One deleted organization: its state, and the actions that are still possible. */
export function DeletedOrganization({ deletion }: { deletion: Deletion }) {
  const { name, slug, deletedAt, deletedBy, blocker } = deletion;
  const [purging, setPurging] = useState(false);
  const restore = useRestore(deletion);
  return (
    <Row
      lead={<OrganizationMark name={name} />}
      title={name}
      badges={<span className="font-mono text-soft text-xs">{slug}</span>}
      detail={
        <>
          Deleted <Time at={deletedAt} /> by {deletedBy.name}
          {blocker !== undefined && <span className="block text-attention">{blocker}</span>}
        </>
      }
      facts={<State deletion={deletion} />}
      actions={
        <>
          {deletion.restorable && (
            <Button small busy={restore.sending} onClick={() => restore.send(undefined)}>
              Restore<span className="sr-only"> {name}</span>
            </Button>
          )}
          {deletion.purgeable && (
            <Button small look="quiet" onClick={() => setPurging(true)}>
              {deletion.state === 'failed' ? 'Purge again' : 'Purge now'}
              <span className="sr-only"> {name}</span>
            </Button>
          )}
          <PurgeNow deletion={deletion} open={purging} onClose={() => setPurging(false)} />
          <RestoreElsewhere deletion={deletion} restore={restore} />
        </>
      }
    />
  );
}

function State({ deletion: { state, restorable, restoreUntil, message } }: { deletion: Deletion }) {
  if (state === 'failed') {
    return <Status tone="fault">Purge failed{message === undefined ? '' : `: ${message}`}</Status>;
  }
  if (state === 'purging') return <Status tone="live">Purging</Status>;
  if (!restorable) return <Status tone="live">Waiting to be purged</Status>;
  return (
    <Status tone="neutral">
      <span>
        Purged <Time at={restoreUntil} />
      </span>
    </Status>
  );
}

/** Restores the organization and opens it. If its slug is taken, the person chooses another one. */
function useRestore({ id, name }: Deletion): Change<string | undefined> {
  const navigate = useNavigate();
  return useChange(
    (slug: string | undefined, sent) =>
      client.deletedOrganizations.restore.mutate(
        { path: { id }, ...(slug === undefined ? {} : { body: { slug } }) },
        sent,
      ),
    {
      failed: `${name} could not be restored`,
      succeeded: `${name} restored`,
      quiet: true,
      done: async ({ slug }) => {
        await queryClient.invalidateQueries();
        void navigate({ to: '/$organization', params: { organization: slug } });
      },
      touches,
    },
  );
}

/** The reason of a failed restore. If the slug is taken, a form asks for another one. */
function RestoreElsewhere({
  deletion: { name, slug: before },
  restore,
}: {
  deletion: Deletion;
  restore: Change<string | undefined>;
}) {
  const [slug, setSlug] = useState(`${before}-2`);
  const { problem, reset } = restore;
  const taken = problem?.fields['body.slug'] !== undefined;
  return (
    <Dialog
      open={problem !== undefined}
      onClose={reset}
      title={taken ? `Restore ${name} under another slug` : `${name} could not be restored`}
    >
      {taken ? (
        <Form problem={problem} places={['slug']} onSubmit={() => restore.send(slug)}>
          <TextField name="slug" label="Slug" mono value={slug} onChange={setSlug} required first maxLength={63} />
          <SubmitOrCancel onCancel={reset} busy={restore.sending}>
            Restore
          </SubmitOrCancel>
        </Form>
      ) : (
        <ProblemNotice problem={problem} />
      )}
    </Dialog>
  );
}

/** Purges the organization before its retention ends. */
function PurgeNow({
  deletion: { id, name, slug },
  open,
  onClose,
}: {
  deletion: Deletion;
  open: boolean;
  onClose: () => void;
}) {
  const purge = useChange(
    (_: undefined, sent) =>
      client.deletedOrganizations.purge.mutate({ path: { id }, body: { confirmSlug: slug } }, sent),
    {
      failed: `${name} could not be purged`,
      succeeded: `${name} is being purged`,
      quiet: true,
      done: onClose,
      touches,
    },
  );
  return (
    <DeleteDialog
      open={open}
      onClose={onClose}
      title={`Purge ${name} now?`}
      confirm="Purge permanently"
      typed={{ label: `Type ${slug} to confirm`, text: slug }}
      change={purge}
      onConfirm={() => purge.send(undefined)}
    >
      All of its data is deleted permanently. Nobody can restore it.
    </DeleteDialog>
  );
}
