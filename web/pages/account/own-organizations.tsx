import { OrganizationMark } from '../../components/avatar.tsx';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { useDialog } from '../../components/dialogs/use-dialog.ts';
import { Button, ButtonLink } from '../../components/forms/button.tsx';
import { Section } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Badge } from '../../components/status.tsx';
import { useChange } from '../../control-plane/change.ts';
import { createPlane, personPlane } from '../../control-plane/plane.ts';
import { type OwnMembership, sessionQuery } from '../../control-plane/session.ts';

/** Organizations of the person, the role in each, and leaving. */
export function OwnOrganizations({ organizations }: { organizations: OwnMembership[] }) {
  const leaving = useDialog<OwnMembership>();
  const newOne = (
    <ButtonLink to="/new-organization" small>
      New organization
    </ButtonLink>
  );
  return (
    <Section
      title="Organizations"
      actions={
        <div className="flex gap-2">
          <ButtonLink to="/deleted-organizations" look="quiet" small>
            Deleted organizations
          </ButtonLink>
          {newOne}
        </div>
      }
    >
      {organizations.length === 0 ? (
        <EmptyState title="You belong to no organization" action={newOne}>
          Create one, or ask to be invited to an existing one.
        </EmptyState>
      ) : (
        <Rows label="Organizations">
          {organizations.map((organization) => (
            <Row
              key={organization.id}
              lead={<OrganizationMark name={organization.name} />}
              title={organization.name}
              link={{ to: '/$organization', params: { organization: organization.slug } }}
              badges={<Badge>{organization.role}</Badge>}
              actions={
                <Button small look="quiet" onClick={() => leaving.show(organization)}>
                  Leave<span className="sr-only"> {organization.name}</span>
                </Button>
              }
            />
          ))}
        </Rows>
      )}
      {leaving.about !== undefined && (
        <Leave key={leaving.key} organization={leaving.about} open={leaving.open} onClose={leaving.close} />
      )}
    </Section>
  );
}

function Leave({
  organization: { id, name },
  open,
  onClose,
}: {
  organization: OwnMembership;
  open: boolean;
  onClose: () => void;
}) {
  const leave = useChange(
    (_: undefined, sent) => createPlane(id).client.organizations.leave.mutate({ path: { id } }, sent),
    {
      failed: `You could not leave ${name}`,
      succeeded: `You left ${name}`,
      quiet: true,
      done: () => {
        onClose();
        void personPlane.queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
      },
    },
  );
  return (
    <DeleteDialog
      open={open}
      onClose={onClose}
      title={`Leave ${name}?`}
      confirm="Leave"
      change={leave}
      onConfirm={() => leave.send(undefined)}
    >
      You lose access to it, and can return only if a member invites you again. API tokens that you created end.
    </DeleteDialog>
  );
}
