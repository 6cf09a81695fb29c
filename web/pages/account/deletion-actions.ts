import type { NavigateOptions } from '@tanstack/react-router';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { formAction } from '../../components/actions/form-action.tsx';
import { personPlane } from '../../control-plane/plane.ts';
import type { Answers } from '../../control-plane/session.ts';

export type Deletion = Answers['deletedOrganizations']['list']['items'][number];

const { trpc, queryClient } = personPlane;

/** Restores the organization and opens it. If its slug is taken meanwhile, the form asks for another one. */
export const restore = ({ id, name, slug }: Deletion, navigate: (to: NavigateOptions) => Promise<void>) =>
  formAction({
    label: 'Restore',
    operation: trpc.deletedOrganizations.restore,
    path: { id },
    start: { slug },
    fields: { slug: { mono: true, hint: 'The one it had, unless another organization has taken it.' } },
    title: `Restore ${name}`,
    about: 'Everything in it comes back.',
    succeeded: `${name} restored`,
    done: async (restored) => {
      await queryClient.invalidateQueries();
      await navigate({ to: '/$organization', params: { organization: restored.slug } });
    },
  });

/** Purges the organization before its retention ends. */
export const purge = ({ id, name, slug, state }: Deletion) =>
  deleteAction({
    verb: 'Purge',
    label: state === 'failed' ? 'Purge again' : 'Purge now',
    name,
    operation: trpc.deletedOrganizations.purge,
    path: { id },
    body: { confirmSlug: slug },
    typed: slug,
    succeeded: `${name} is being purged`,
    consequences: 'All of its data is deleted permanently. Nobody can restore it.',
  });
