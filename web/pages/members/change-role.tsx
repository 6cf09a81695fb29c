import { ChevronDownIcon } from '@primer/octicons-react';
import { type ComponentProps, useState } from 'react';
import { mayActAs, type Role } from '../../../domain/roles.ts';
import { Confirm } from '../../components/dialogs/confirm.tsx';
import { Menu, MenuChoices } from '../../components/dialogs/menu.tsx';
import { useDialog } from '../../components/dialogs/use-dialog.ts';
import { Button } from '../../components/forms/button.tsx';
import { rolesGivenBy, roleWords } from '../../components/forms/roles.tsx';
import { useFieldChange } from '../../control-plane/field-change.ts';
import { pagesKey } from '../../control-plane/pages.ts';
import { personPlane, usePlane } from '../../control-plane/plane.ts';
import { useMembership, useSession } from '../../control-plane/session.ts';
import type { Member } from './member-actions.ts';

/** The role of a member, a menu for those who may change it. The menu is made when it is asked for: a row costs less. */
export function ChangeRole({ member }: { member: Member }) {
  const own = useMembership();
  const [asked, setAsked] = useState(false);
  const { name } = roleWords[member.role];
  if (!mayActAs(own.role, member.role === 'owner' ? 'owner' : 'admin')) return name;
  const closed = {
    'aria-label': `Role of ${member.name}: ${name}`,
    'aria-haspopup': 'menu',
    'aria-expanded': false,
  } as const;
  return (
    <span className="-ml-2.5">
      {asked ? (
        <RoleMenu member={member} />
      ) : (
        <RoleButton of={member.role} {...closed} onClick={() => setAsked(true)} />
      )}
    </span>
  );
}

function RoleButton({ of, ...rest }: { of: Role } & ComponentProps<'button'>) {
  return (
    <Button look="quiet" small {...rest}>
      {roleWords[of].name}
      <ChevronDownIcon size={14} />
    </Button>
  );
}

/** A change of one's own role is confirmed first. */
function RoleMenu({ member }: { member: Member }) {
  const { trpc } = usePlane();
  const own = useMembership();
  const isSelf = useSession()?.user.id === member.userId;
  const changingOwn = useDialog<Role>();
  const { userId, name } = member;
  const change = useFieldChange({
    operation: trpc.members.changeRole,
    path: { id: own.id, userId },
    field: 'role',
    value: member.role,
    word: (role) => roleWords[role].name.toLowerCase(),
    failed: `The role of ${name} could not be changed`,
    succeeded: (_, role) => `${name} is now ${roleWords[role].name.toLowerCase()}`,
    shownBy: [pagesKey(trpc.members.list)],
    isIt: (one: Member) => one.userId === userId,
    undo: isSelf ? false : undefined,
    done: () => isSelf && void personPlane.queryClient.invalidateQueries(),
  });
  const choose = (role: Role) => {
    if (role === member.role) return;
    if (isSelf) changingOwn.show(role);
    else change.send(role);
  };
  const chosen = changingOwn.about;
  return (
    <>
      <Menu
        openAtOnce
        label={`Role of ${name}: ${roleWords[member.role].name}`}
        trigger={<RoleButton of={member.role} />}
      >
        <MenuChoices<Role>
          value={member.role}
          onChange={choose}
          choices={rolesGivenBy(own.role).map((role) => ({
            value: role,
            label: (
              <>
                <span className="block font-medium">{roleWords[role].name}</span>
                <span className="block text-pretty text-soft text-xs">{roleWords[role].may}</span>
              </>
            ),
          }))}
        />
      </Menu>
      {chosen !== undefined && (
        <Confirm
          open={changingOwn.open}
          onClose={changingOwn.close}
          title="Change your own role?"
          confirm={`Become ${roleWords[chosen].name.toLowerCase()}`}
          change={{ sending: false, problem: undefined }}
          onConfirm={() => {
            changingOwn.close();
            change.send(chosen);
          }}
        >
          You will be {roleWords[chosen].name.toLowerCase()} of {own.name}. To get your role back you need somebody who
          may give it.
        </Confirm>
      )}
    </>
  );
}
