// The part of testcontainers 11 that the README uses; its engine does not run here.
export interface WaitStrategy {
  withStartupTimeout(milliseconds: number): WaitStrategy
}
export interface HttpWaitStrategy extends WaitStrategy {
  forStatusCode(status: number): HttpWaitStrategy
}
export const Wait: { forHttp(path: string, port: number): HttpWaitStrategy; forHealthCheck(): WaitStrategy }
export interface StartedTestContainer extends AsyncDisposable {
  getHost(): string
  getMappedPort(port: number): number
  stop(): Promise<unknown>
}
export class GenericContainer {
  constructor(image: string)
  withExposedPorts(...ports: number[]): this
  withEnvironment(variables: Record<string, string>): this
  withWaitStrategy(strategy: WaitStrategy): this
  start(): Promise<StartedTestContainer>
}
