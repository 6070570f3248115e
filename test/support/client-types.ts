export interface paths {
  '/projects/{project}/users': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listUsers']
    put?: never
    post: operations['createUser']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/projects/{project}/users/search': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['searchUsers']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/projects/{project}/users/{user}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['retrieveUser']
    put?: never
    post?: never
    delete: operations['deleteUser']
    options?: never
    head?: never
    patch: operations['updateUser']
    trace?: never
  }
  '/projects/{project}/paymentLinks': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listPaymentLinks']
    put?: never
    post: operations['createPaymentLink']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/projects/{project}/paymentLinks/{paymentLink}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['retrievePaymentLink']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/projects/{project}/paymentLinks/{paymentLink}/cancel': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['cancelPaymentLink']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
}
export type webhooks = Record<string, never>
export interface components {
  schemas: {
    UserList: {
      /** @constant */
      object: 'list'
      items: components['schemas']['User'][]
      moreItemsAfter: string | null
      moreItemsBefore: string | null
    }
    User: {
      /** @constant */
      object: 'user'
      id: string
      metadata: {
        [key: string]: unknown
      }
      /** Format: date */
      birthday: string | null
      /** Format: date-time */
      createdAt: string
      email: string
      emailVerified: boolean
      fullName: string | null
      preferredLocale: string
    }
    PaymentLinkList: {
      /** @constant */
      object: 'list'
      items: components['schemas']['PaymentLink'][]
      moreItemsAfter: string | null
      moreItemsBefore: string | null
    }
    PaymentLink: {
      /** @constant */
      object: 'paymentLink'
      id: string
      /** Format: date-time */
      canceledAt: string | null
      /** Format: date-time */
      completedAt: string | null
      /** Format: date-time */
      createdAt: string
      partner: {
        /** Format: uri */
        redirectUrl: string | null
      } | null
      invoice: string
      paymentUrl: string
      /** @enum {string} */
      status: 'active' | 'canceled' | 'completed'
      /** @constant */
      type: 'partner'
    }
    CreateUserBody: {
      email: string
      /** Format: date */
      birthday?: string | null
      fullName?: string | null
      metadata?: {
        [key: string]: unknown
      }
      preferredLocale?: string | null
    }
    SearchUsersBody: {
      email?: string | null
    }
    UpdateUserBody: {
      email?: string | null
      /** Format: date */
      birthday?: string | null
      fullName?: string | null
      metadata?: {
        [key: string]: unknown
      }
      preferredLocale?: string | null
    }
    CreatePaymentLinkBody: {
      invoice: string
      /** @constant */
      type: 'partner'
      partner: {
        user: {
          fullName?: string
          email?: string
          taxNumber?: string
        }
        /** Format: uri */
        redirectUrl?: string
      }
    }
    Error: {
      /** @constant */
      object: 'error'
      /** @enum {string} */
      type:
        | 'unauthenticated'
        | 'permissionDenied'
        | 'notFound'
        | 'methodNotAllowed'
        | 'notAcceptable'
        | 'unsupportedMediaType'
        | 'rateLimited'
        | 'internal'
        | 'invalidRequest'
        | 'tooLarge'
        | 'conflict'
      /** @enum {string} */
      code:
        | 'tokenMissing'
        | 'tokenInvalid'
        | 'tokenExpired'
        | 'tokenNotForProject'
        | 'projectNotFound'
        | 'methodNotAllowed'
        | 'notAcceptable'
        | 'unsupportedMediaType'
        | 'rateLimited'
        | 'injectedFault'
        | 'stateReplaced'
        | 'malformedBody'
        | 'bodyTooLarge'
        | 'invalidQuery'
        | 'invalidBody'
        | 'emailTaken'
        | 'idempotencyKeyInvalid'
        | 'idempotencyKeyReused'
        | 'cursorNotFound'
        | 'cursorDeleted'
        | 'userNotFound'
        | 'invoiceNotFound'
        | 'paymentLinkNotFound'
        | 'paymentLinkNotActive'
        | 'routeNotFound'
      message: string
      hint?: string
      details?: {
        path: string
        message: string
      }[]
    }
  }
  responses: {
    Unauthenticated: {
      headers: {
        'Mock-Request-Id': components['headers']['MockRequestId']
        'Mock-Assumed': components['headers']['MockAssumed']
        'Mock-Fault': components['headers']['MockFault']
        'RateLimit-Limit': components['headers']['RateLimitLimit']
        'RateLimit-Remaining': components['headers']['RateLimitRemaining']
        'RateLimit-Reset': components['headers']['RateLimitReset']
        RateLimit: components['headers']['RateLimit']
        'RateLimit-Policy': components['headers']['RateLimitPolicy']
        'WWW-Authenticate': 'Bearer'
        [name: string]: unknown
      }
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {string} */
          code?: 'tokenMissing' | 'tokenInvalid' | 'tokenExpired'
        }
      }
    }
    PermissionDenied: {
      headers: {
        'Mock-Request-Id': components['headers']['MockRequestId']
        'Mock-Assumed': components['headers']['MockAssumed']
        'Mock-Fault': components['headers']['MockFault']
        'RateLimit-Limit': components['headers']['RateLimitLimit']
        'RateLimit-Remaining': components['headers']['RateLimitRemaining']
        'RateLimit-Reset': components['headers']['RateLimitReset']
        RateLimit: components['headers']['RateLimit']
        'RateLimit-Policy': components['headers']['RateLimitPolicy']
        [name: string]: unknown
      }
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {string} */
          code?: 'tokenNotForProject'
        }
      }
    }
    NotFound: {
      headers: {
        'Mock-Request-Id': components['headers']['MockRequestId']
        'Mock-Assumed': components['headers']['MockAssumed']
        'Mock-Fault': components['headers']['MockFault']
        'RateLimit-Limit': components['headers']['RateLimitLimit']
        'RateLimit-Remaining': components['headers']['RateLimitRemaining']
        'RateLimit-Reset': components['headers']['RateLimitReset']
        RateLimit: components['headers']['RateLimit']
        'RateLimit-Policy': components['headers']['RateLimitPolicy']
        [name: string]: unknown
      }
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {string} */
          code?: 'projectNotFound'
        }
      }
    }
    MethodNotAllowed: {
      headers: {
        'Mock-Request-Id': components['headers']['MockRequestId']
        'Mock-Assumed': components['headers']['MockAssumed']
        'Mock-Fault': components['headers']['MockFault']
        'RateLimit-Limit': components['headers']['RateLimitLimit']
        'RateLimit-Remaining': components['headers']['RateLimitRemaining']
        'RateLimit-Reset': components['headers']['RateLimitReset']
        RateLimit: components['headers']['RateLimit']
        'RateLimit-Policy': components['headers']['RateLimitPolicy']
        Allow: string
        [name: string]: unknown
      }
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {string} */
          code?: 'methodNotAllowed'
        }
      }
    }
    NotAcceptable: {
      headers: {
        'Mock-Request-Id': components['headers']['MockRequestId']
        'Mock-Assumed': components['headers']['MockAssumed']
        'Mock-Fault': components['headers']['MockFault']
        'RateLimit-Limit': components['headers']['RateLimitLimit']
        'RateLimit-Remaining': components['headers']['RateLimitRemaining']
        'RateLimit-Reset': components['headers']['RateLimitReset']
        RateLimit: components['headers']['RateLimit']
        'RateLimit-Policy': components['headers']['RateLimitPolicy']
        [name: string]: unknown
      }
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {string} */
          code?: 'notAcceptable'
        }
      }
    }
    UnsupportedMediaType: {
      headers: {
        'Mock-Request-Id': components['headers']['MockRequestId']
        'Mock-Assumed': components['headers']['MockAssumed']
        'Mock-Fault': components['headers']['MockFault']
        'RateLimit-Limit': components['headers']['RateLimitLimit']
        'RateLimit-Remaining': components['headers']['RateLimitRemaining']
        'RateLimit-Reset': components['headers']['RateLimitReset']
        RateLimit: components['headers']['RateLimit']
        'RateLimit-Policy': components['headers']['RateLimitPolicy']
        [name: string]: unknown
      }
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {string} */
          code?: 'unsupportedMediaType'
        }
      }
    }
    RateLimited: {
      headers: {
        'Mock-Request-Id': components['headers']['MockRequestId']
        'Mock-Assumed': components['headers']['MockAssumed']
        'Mock-Fault': components['headers']['MockFault']
        'RateLimit-Limit': components['headers']['RateLimitLimit']
        'RateLimit-Remaining': components['headers']['RateLimitRemaining']
        'RateLimit-Reset': components['headers']['RateLimitReset']
        RateLimit: components['headers']['RateLimit']
        'RateLimit-Policy': components['headers']['RateLimitPolicy']
        'Retry-After'?: string
        [name: string]: unknown
      }
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {string} */
          code?: 'rateLimited'
        }
      }
    }
    Internal: {
      headers: {
        'Mock-Request-Id': components['headers']['MockRequestId']
        'Mock-Assumed': components['headers']['MockAssumed']
        'Mock-Fault': components['headers']['MockFault']
        'RateLimit-Limit': components['headers']['RateLimitLimit']
        'RateLimit-Remaining': components['headers']['RateLimitRemaining']
        'RateLimit-Reset': components['headers']['RateLimitReset']
        RateLimit: components['headers']['RateLimit']
        'RateLimit-Policy': components['headers']['RateLimitPolicy']
        [name: string]: unknown
      }
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {string} */
          code?: 'injectedFault' | 'stateReplaced'
        }
      }
    }
  }
  parameters: {
    project: string
    user: string
    paymentLink: string
    IdempotencyKey: string
    after: string
    before: string
    limit: number
    invoice: string
    status: ('active' | 'canceled' | 'completed')[]
  }
  requestBodies: never
  headers: {
    MockRequestId: string
    MockAssumed: string
    MockFault: string
    RateLimitLimit: string
    RateLimitRemaining: string
    RateLimitReset: string
    RateLimit: string
    RateLimitPolicy: string
  }
  pathItems: never
}
export type $defs = Record<string, never>
export interface operations {
  listUsers: {
    parameters: {
      query?: {
        after?: components['parameters']['after']
        before?: components['parameters']['before']
        limit?: components['parameters']['limit']
      }
      header?: never
      path: {
        project: components['parameters']['project']
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['UserList']
        }
      }
      400: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'malformedBody' | 'invalidQuery' | 'cursorNotFound' | 'cursorDeleted'
          }
        }
      }
      401: components['responses']['Unauthenticated']
      403: components['responses']['PermissionDenied']
      404: components['responses']['NotFound']
      405: components['responses']['MethodNotAllowed']
      406: components['responses']['NotAcceptable']
      413: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'bodyTooLarge'
          }
        }
      }
      415: components['responses']['UnsupportedMediaType']
      429: components['responses']['RateLimited']
      503: components['responses']['Internal']
    }
  }
  createUser: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: components['parameters']['IdempotencyKey']
      }
      path: {
        project: components['parameters']['project']
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateUserBody']
      }
    }
    responses: {
      201: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['User']
        }
      }
      400: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'malformedBody' | 'invalidQuery' | 'idempotencyKeyInvalid'
          }
        }
      }
      401: components['responses']['Unauthenticated']
      403: components['responses']['PermissionDenied']
      404: components['responses']['NotFound']
      405: components['responses']['MethodNotAllowed']
      406: components['responses']['NotAcceptable']
      409: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'emailTaken'
          }
        }
      }
      413: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'bodyTooLarge'
          }
        }
      }
      415: components['responses']['UnsupportedMediaType']
      422: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'invalidBody' | 'idempotencyKeyReused'
          }
        }
      }
      429: components['responses']['RateLimited']
      503: components['responses']['Internal']
    }
  }
  searchUsers: {
    parameters: {
      query?: {
        after?: components['parameters']['after']
        before?: components['parameters']['before']
        limit?: components['parameters']['limit']
      }
      header?: never
      path: {
        project: components['parameters']['project']
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['SearchUsersBody']
      }
    }
    responses: {
      200: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['UserList']
        }
      }
      400: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'malformedBody' | 'invalidQuery' | 'cursorNotFound' | 'cursorDeleted'
          }
        }
      }
      401: components['responses']['Unauthenticated']
      403: components['responses']['PermissionDenied']
      404: components['responses']['NotFound']
      405: components['responses']['MethodNotAllowed']
      406: components['responses']['NotAcceptable']
      413: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'bodyTooLarge'
          }
        }
      }
      415: components['responses']['UnsupportedMediaType']
      422: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'invalidBody'
          }
        }
      }
      429: components['responses']['RateLimited']
      503: components['responses']['Internal']
    }
  }
  retrieveUser: {
    parameters: {
      query?: never
      header?: never
      path: {
        project: components['parameters']['project']
        user: components['parameters']['user']
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['User']
        }
      }
      400: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'malformedBody' | 'invalidQuery'
          }
        }
      }
      401: components['responses']['Unauthenticated']
      403: components['responses']['PermissionDenied']
      404: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'projectNotFound' | 'userNotFound'
          }
        }
      }
      405: components['responses']['MethodNotAllowed']
      406: components['responses']['NotAcceptable']
      413: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'bodyTooLarge'
          }
        }
      }
      415: components['responses']['UnsupportedMediaType']
      429: components['responses']['RateLimited']
      503: components['responses']['Internal']
    }
  }
  deleteUser: {
    parameters: {
      query?: never
      header?: never
      path: {
        project: components['parameters']['project']
        user: components['parameters']['user']
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['User']
        }
      }
      400: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'malformedBody' | 'invalidQuery'
          }
        }
      }
      401: components['responses']['Unauthenticated']
      403: components['responses']['PermissionDenied']
      404: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'projectNotFound' | 'userNotFound'
          }
        }
      }
      405: components['responses']['MethodNotAllowed']
      406: components['responses']['NotAcceptable']
      413: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'bodyTooLarge'
          }
        }
      }
      415: components['responses']['UnsupportedMediaType']
      429: components['responses']['RateLimited']
      503: components['responses']['Internal']
    }
  }
  updateUser: {
    parameters: {
      query?: never
      header?: never
      path: {
        project: components['parameters']['project']
        user: components['parameters']['user']
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateUserBody']
      }
    }
    responses: {
      200: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['User']
        }
      }
      400: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'malformedBody' | 'invalidQuery'
          }
        }
      }
      401: components['responses']['Unauthenticated']
      403: components['responses']['PermissionDenied']
      404: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'projectNotFound' | 'userNotFound'
          }
        }
      }
      405: components['responses']['MethodNotAllowed']
      406: components['responses']['NotAcceptable']
      409: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'emailTaken'
          }
        }
      }
      413: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'bodyTooLarge'
          }
        }
      }
      415: components['responses']['UnsupportedMediaType']
      422: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'invalidBody'
          }
        }
      }
      429: components['responses']['RateLimited']
      503: components['responses']['Internal']
    }
  }
  listPaymentLinks: {
    parameters: {
      query?: {
        after?: components['parameters']['after']
        before?: components['parameters']['before']
        limit?: components['parameters']['limit']
        invoice?: components['parameters']['invoice']
        status?: components['parameters']['status']
      }
      header?: never
      path: {
        project: components['parameters']['project']
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['PaymentLinkList']
        }
      }
      400: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'malformedBody' | 'invalidQuery' | 'cursorNotFound' | 'cursorDeleted'
          }
        }
      }
      401: components['responses']['Unauthenticated']
      403: components['responses']['PermissionDenied']
      404: components['responses']['NotFound']
      405: components['responses']['MethodNotAllowed']
      406: components['responses']['NotAcceptable']
      413: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'bodyTooLarge'
          }
        }
      }
      415: components['responses']['UnsupportedMediaType']
      429: components['responses']['RateLimited']
      503: components['responses']['Internal']
    }
  }
  createPaymentLink: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: components['parameters']['IdempotencyKey']
      }
      path: {
        project: components['parameters']['project']
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['CreatePaymentLinkBody']
      }
    }
    responses: {
      201: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['PaymentLink']
        }
      }
      400: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'malformedBody' | 'invalidQuery' | 'idempotencyKeyInvalid'
          }
        }
      }
      401: components['responses']['Unauthenticated']
      403: components['responses']['PermissionDenied']
      404: components['responses']['NotFound']
      405: components['responses']['MethodNotAllowed']
      406: components['responses']['NotAcceptable']
      413: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'bodyTooLarge'
          }
        }
      }
      415: components['responses']['UnsupportedMediaType']
      422: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'invalidBody' | 'invoiceNotFound' | 'idempotencyKeyReused'
          }
        }
      }
      429: components['responses']['RateLimited']
      503: components['responses']['Internal']
    }
  }
  retrievePaymentLink: {
    parameters: {
      query?: never
      header?: never
      path: {
        project: components['parameters']['project']
        paymentLink: components['parameters']['paymentLink']
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['PaymentLink']
        }
      }
      400: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'malformedBody' | 'invalidQuery'
          }
        }
      }
      401: components['responses']['Unauthenticated']
      403: components['responses']['PermissionDenied']
      404: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'projectNotFound' | 'paymentLinkNotFound'
          }
        }
      }
      405: components['responses']['MethodNotAllowed']
      406: components['responses']['NotAcceptable']
      413: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'bodyTooLarge'
          }
        }
      }
      415: components['responses']['UnsupportedMediaType']
      429: components['responses']['RateLimited']
      503: components['responses']['Internal']
    }
  }
  cancelPaymentLink: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: components['parameters']['IdempotencyKey']
      }
      path: {
        project: components['parameters']['project']
        paymentLink: components['parameters']['paymentLink']
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['PaymentLink']
        }
      }
      400: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'malformedBody' | 'invalidQuery' | 'idempotencyKeyInvalid'
          }
        }
      }
      401: components['responses']['Unauthenticated']
      403: components['responses']['PermissionDenied']
      404: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'projectNotFound' | 'paymentLinkNotFound'
          }
        }
      }
      405: components['responses']['MethodNotAllowed']
      406: components['responses']['NotAcceptable']
      409: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'paymentLinkNotActive'
          }
        }
      }
      413: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'bodyTooLarge'
          }
        }
      }
      415: components['responses']['UnsupportedMediaType']
      422: {
        headers: {
          'Mock-Request-Id': components['headers']['MockRequestId']
          'Mock-Assumed': components['headers']['MockAssumed']
          'Mock-Fault': components['headers']['MockFault']
          'RateLimit-Limit': components['headers']['RateLimitLimit']
          'RateLimit-Remaining': components['headers']['RateLimitRemaining']
          'RateLimit-Reset': components['headers']['RateLimitReset']
          RateLimit: components['headers']['RateLimit']
          'RateLimit-Policy': components['headers']['RateLimitPolicy']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error'] & {
            /** @enum {string} */
            code?: 'idempotencyKeyReused'
          }
        }
      }
      429: components['responses']['RateLimited']
      503: components['responses']['Internal']
    }
  }
}
