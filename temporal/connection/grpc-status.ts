import { isGrpcServiceError } from '@temporalio/client';

/** The gRPC statuses that we tell apart, by their numbers on the wire. */
export const grpcStatus = {
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  unimplemented: 12,
  unavailable: 14,
  unauthenticated: 16,
} as const;

export type GrpcStatus = keyof typeof grpcStatus;

/** Whether the error, or what it wraps, is a gRPC failure with one of these statuses. */
export function hasStatus(error: unknown, ...statuses: GrpcStatus[]): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isGrpcServiceError(cause)) return statuses.some((status) => grpcStatus[status] === Number(cause.code));
  }
  return false;
}
