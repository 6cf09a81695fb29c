import { keep, kept } from '../components/browser/kept.ts';

const key = 'ballast.organization';

/** The organization that the console opens next time. A slug is no secret. */
export const rememberOrganization = (slug: string) => keep(key, slug);

export const lastOrganization = () => kept(key);
