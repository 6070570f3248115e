import { removeDeadlines } from './deadlines.js'

removeDeadlines()
