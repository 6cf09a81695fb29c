/** Whose variables: those of a service, or without one those that the services of the environment share. */
export interface Whose {
  environmentId: string;
  serviceId?: string;
}
