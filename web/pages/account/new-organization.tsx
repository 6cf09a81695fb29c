import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { reservedSlugs } from '../../../domain/reserved-slugs.ts';
import { slugOf, slugPattern } from '../../../domain/slug.ts';
import { Button } from '../../components/forms/button.tsx';
import { Form, TextField } from '../../components/forms/form.tsx';
import { Card, Page } from '../../components/page.tsx';
import { useChange } from '../../control-plane/change.ts';
import { personPlane } from '../../control-plane/plane.ts';
import { useSession } from '../../control-plane/session.ts';

/** Creates an organization with the person as its owner, and opens it. */
export function NewOrganization() {
  const first = useSession()?.organizations.length === 0;
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [ownSlug, setOwnSlug] = useState<string>();
  const slug = ownSlug ?? slugOf(name);
  const make = useChange(
    (body: { name: string; slug: string }, sent) => personPlane.client.organizations.create.mutate({ body }, sent),
    {
      failed: 'The organization could not be created',
      succeeded: ({ name }) => `${name} created`,
      quiet: true,
      done: async ({ slug }) => {
        // The route checks membership, so the session is refetched first.
        await personPlane.queryClient.invalidateQueries();
        void navigate({ to: '/$organization', params: { organization: slug } });
      },
    },
  );
  const wrongSlug = slug !== '' && !slugPattern.test(slug);
  const reserved = reservedSlugs.has(slug);
  return (
    <Page
      title={first ? 'Create your organization' : 'New organization'}
      about="An organization owns clusters, members and everything else. You become its owner and can invite others."
    >
      <div className="max-w-lg">
        <Card>
          <div className="p-5 max-sm:p-4">
            <Form problem={make.problem} places={['name', 'slug']} onSubmit={() => make.send({ name, slug })}>
              <TextField name="name" label="Name" value={name} onChange={setName} required first maxLength={100} />
              <TextField
                name="slug"
                label="Slug"
                mono
                hint={
                  wrongSlug || reserved ? (
                    <span className="text-fault">
                      {reserved
                        ? `/${slug} is an address of the control plane; choose another slug.`
                        : 'Use lowercase letters, digits and hyphens; begin and end with a letter or a digit.'}
                    </span>
                  ) : (
                    `Used in addresses, such as ${location.host}/${slug || 'acme'}. It cannot be changed later.`
                  )
                }
                value={slug}
                onChange={(text) => setOwnSlug(text.toLowerCase())}
                required
                maxLength={63}
              />
              <div className="flex justify-end gap-2">
                {!first && <Button onClick={() => history.back()}>Cancel</Button>}
                <Button type="submit" look="strong" busy={make.sending} disabled={wrongSlug || reserved}>
                  Create organization
                </Button>
              </div>
            </Form>
          </div>
        </Card>
      </div>
    </Page>
  );
}
