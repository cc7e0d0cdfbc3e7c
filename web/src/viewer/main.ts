import { WorldViewer } from './viewer';

// A classic script of its own, which the page loads when somebody wants to see three dimensions.
window.orbisViewer = (target, host, view) => new WorldViewer(target, host, view);
