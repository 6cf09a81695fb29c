import { ArrowLeftIcon } from '@primer/octicons-react';
import { Link } from '@tanstack/react-router';
import { useSession } from '../control-plane/session.ts';
import { lastOrganization } from './last-organization.ts';
import { PersonMenu } from './menus/person-menu.tsx';
import { ZoneName } from './zone-name.tsx';

/** Above pages that belong to no organization: the way back, and the person's menu. */
export function PersonTop() {
  const organizations = useSession()?.organizations ?? [];
  const last = lastOrganization();
  const back = organizations.find(({ slug }) => slug === last) ?? organizations[0];
  return (
    <>
      <nav aria-label="Breadcrumb" className="flex min-w-0 flex-1 items-center gap-1 text-base">
        {back === undefined ? (
          <span className="px-1.5 font-semibold">Ballast</span>
        ) : (
          <Link
            to="/$organization"
            params={{ organization: back.slug }}
            className="inline-flex h-8 min-w-0 items-center gap-2 rounded-md px-1.5 text-soft hover:text-text max-lg:h-11"
          >
            <ArrowLeftIcon />
            <span className="truncate">{back.name}</span>
          </Link>
        )}
        <span aria-hidden="true" className="text-faint">
          /
        </span>
        <Link
          to="/account"
          activeOptions={{ exact: true }}
          className="inline-flex h-8 items-center whitespace-nowrap rounded-md px-1.5 text-soft hover:text-text aria-[current=page]:text-text max-lg:h-11"
        >
          Your account
        </Link>
      </nav>
      <span className="max-sm:hidden">
        <ZoneName />
      </span>
      <span className="max-w-44">
        <PersonMenu />
      </span>
    </>
  );
}
