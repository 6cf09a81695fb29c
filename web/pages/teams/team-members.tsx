import { useState } from 'react';
import { SubmitOrCancel } from '../../components/dialogs/dialog.tsx';
import { Checkbox, Form, TextField } from '../../components/forms/form.tsx';
import { LoadedPages } from '../../components/states.tsx';
import { useChange } from '../../control-plane/change.ts';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { isSought } from '../members/member-search.ts';
import type { Team } from './team.ts';

/** Chooses who is in a team, among all members. */
export function TeamMembers({ team, onClose }: { team: Team; onClose: () => void }) {
  const { client, trpc } = usePlane();
  const organization = useMembership();
  const [before] = useState(() => new Set(team.members.map(({ userId }) => userId)));
  const [chosen, setChosen] = useState(before);
  const [sought, setSought] = useState('');
  const members = usePages(trpc.members.list, {
    path: { id: organization.id },
    query: { limit: 200 },
    id: ({ userId }) => userId,
  });
  const save = useChange(
    // Only what was added and removed: what somebody else changes meanwhile stays.
    (body: { add: string[]; remove: string[] }, sent) =>
      client.teams.changeMembers.mutate({ path: { id: team.id }, body }, sent),
    {
      failed: 'The members could not be changed',
      succeeded: `Members of ${team.name} changed`,
      undo: ({ add, remove }) => ({ add: remove, remove: add }),
      quiet: true,
      done: onClose,
      touches: () => [trpc.teams.pathKey()],
    },
  );
  const set = (userId: string, member: boolean) => {
    const next = new Set(chosen);
    if (member) next.add(userId);
    else next.delete(userId);
    setChosen(next);
  };
  return (
    <Form
      problem={save.problem}
      places={[]}
      onSubmit={() => save.send({ add: without(chosen, before), remove: without(before, chosen) })}
    >
      <TextField
        name="search"
        type="search"
        label="Search members"
        bare
        first
        placeholder="Search by name or e-mail"
        value={sought}
        onChange={setSought}
      />
      <LoadedPages pages={members} empty={null}>
        {(items) => (
          <fieldset className="max-h-[45vh] min-w-0 divide-y divide-line overflow-y-auto rounded-lg border border-soft-line bg-field">
            <legend className="sr-only">Members of the organization</legend>
            {items
              .filter((member) => isSought(member, sought))
              .map(({ userId, name, email }) => (
                <div key={userId} className="px-3 py-2">
                  <Checkbox
                    label={name}
                    hint={email}
                    checked={chosen.has(userId)}
                    onChange={(member) => set(userId, member)}
                  />
                </div>
              ))}
            {!items.some((member) => isSought(member, sought)) && (
              <p className="px-3 py-4 text-soft text-sm">None of the loaded members match.</p>
            )}
          </fieldset>
        )}
      </LoadedPages>
      <SubmitOrCancel onCancel={onClose} busy={save.sending}>
        Save
      </SubmitOrCancel>
    </Form>
  );
}

function without(ids: ReadonlySet<string>, others: ReadonlySet<string>): string[] {
  return [...ids].filter((id) => !others.has(id));
}
