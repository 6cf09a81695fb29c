interface Slugs {
  organization: string;
  project: string;
  service: string;
}

/** The image in full: a tag or a digest alone is of the service's own repository. */
export function imageName(reference: string, { organization, project, service }: Slugs): string {
  return /^[:@]/.test(reference) ? `${organization}/${project}/${service}${reference}` : reference;
}
