/** The address of the service: where a mock listens and its base path, without a slash at the end. */
export const serviceUrlOf = (url: string, basePath = ''): string =>
  [url, basePath].map((part) => part.replace(/\/+$/, '')).join('')
