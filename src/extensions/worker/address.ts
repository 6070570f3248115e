import { errors } from '../../schema/error.ts'
import { getPath } from 'hono/utils/url'
import { splitSandboxPath } from '../../wire/sandbox-path.ts'

/** The sandbox and the project of a request. */
export interface Address {
  readonly sandbox: string | undefined
  /** Undefined for a path without a project. */
  readonly project: string | undefined
  /** The URL without the sandbox. */
  readonly url: string
  /** The path of that URL. The router decodes it: `/__%61dmin` is `/__admin` too. */
  readonly path: string
  /** Whether the path needs the admin token. */
  readonly isAdmin: boolean
}

export const dashboardPath = '/__admin/dashboard/'

// The frame of the dashboard has no data. Its script fetches the views with the token.
const publicPaths = new Set([
  '/__admin/health',
  '/__admin/openapi.json',
  '/__admin',
  '/__admin/',
  `${dashboardPath}style.css`,
  `${dashboardPath}script.js`,
])

/** Creates a function that parses a URL. It throws for a project name that cannot be decoded. */
export const createAddressParser = (basePath: string, hasSandboxes: boolean): ((url: string) => Address) => {
  const prefixes = [`${basePath}/projects/`, '/pay/', '/__admin/projects/']
  const findProject = (url: string, path: string): string | undefined => {
    if (publicPaths.has(path)) return undefined
    if (path.startsWith(dashboardPath)) return new URL(url).searchParams.get('project') || undefined
    const prefix = prefixes.find((one) => path.startsWith(one))
    const [segment = '', ...rest] = prefix === undefined ? [] : path.slice(prefix.length).split('/')
    // A file directly in /pay is an asset of the pages.
    if (segment === '' || (prefix === '/pay/' && rest.length === 0)) return undefined
    return decode(segment)
  }
  return (given) => {
    const { name: sandbox, url = given } = (hasSandboxes && splitSandboxPath(given)) || {}
    const path = getPath(new Request(url))
    const isAdmin = /^\/__admin(\/|$)/.test(path) && !publicPaths.has(path)
    return { sandbox, project: findProject(url, path), url, path, isAdmin }
  }
}

/** Returns the name of the Durable Object. A project `@a/acme` has another name than `acme` in the sandbox `a`. */
export const getObjectName = ({ sandbox, project = '' }: Address): string =>
  sandbox === undefined && !project.startsWith('@') ? project : `@${sandbox ?? ''}/${project}`

const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    // The router would not decode it, so '%FF' would be a second name of the project '%25FF'.
    throw errors.malformedRequest({ segment })
  }
}
