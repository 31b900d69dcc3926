/**
 * The part of the DevTools protocol that is used here: commands with their parameters and results,
 * and events. Source: https://chromedevtools.github.io/devtools-protocol/tot/
 */

type Nothing = Readonly<Record<string, never>>;

export interface Viewport {
  readonly width: number;
  readonly height: number;
  readonly deviceScaleFactor: number;
  readonly mobile: boolean;
}

export interface MediaFeature {
  readonly name: 'prefers-color-scheme';
  readonly value: string;
}

export interface KeyEvent {
  readonly type: 'keyDown' | 'rawKeyDown' | 'keyUp';
  readonly key: string;
  readonly code: string;
  readonly text?: string;
  readonly windowsVirtualKeyCode: number;
}

export interface MouseEvent {
  readonly type: 'mousePressed' | 'mouseReleased';
  readonly x: number;
  readonly y: number;
  readonly button: 'left';
  readonly clickCount: number;
}

export interface RemoteValue {
  readonly type: string;
  readonly value?: unknown;
  readonly description?: string;
}

export interface ExceptionDetails {
  readonly text: string;
  readonly exception?: RemoteValue;
}

export interface Evaluation {
  readonly result: RemoteValue;
  readonly exceptionDetails?: ExceptionDetails;
}

export interface AxValue {
  readonly value?: unknown;
}

export interface AxNode {
  readonly nodeId: string;
  readonly ignored: boolean;
  readonly role?: AxValue;
  readonly name?: AxValue;
  readonly backendDOMNodeId?: number;
}

/** An index into the strings of the snapshot; -1 for none. */
export type StringIndex = number;
export type Rectangle = readonly [left: number, top: number, width: number, height: number];

export interface RawDocument {
  readonly nodes: {
    readonly parentIndex: readonly number[];
    readonly nodeType: readonly number[];
    readonly nodeName: readonly StringIndex[];
    readonly nodeValue: readonly StringIndex[];
    readonly backendNodeId: readonly number[];
    /** Names and values alternate. */
    readonly attributes: readonly (readonly StringIndex[])[];
  };
  readonly layout: {
    readonly nodeIndex: readonly number[];
    readonly styles: readonly (readonly StringIndex[])[];
    readonly bounds: readonly Rectangle[];
    readonly text: readonly StringIndex[];
    /** Empty for nodes without a box of their own. */
    readonly scrollRects: readonly (Rectangle | readonly [])[];
    readonly clientRects: readonly (Rectangle | readonly [])[];
  };
  /** Lines of text after wrapping. */
  readonly textBoxes: {
    readonly layoutIndex: readonly number[];
    readonly bounds: readonly Rectangle[];
  };
}

export interface RawSnapshot {
  readonly documents: readonly RawDocument[];
  readonly strings: readonly string[];
}

/** The parameters and the result of each command. */
export interface Commands {
  'Browser.close': [Nothing, Nothing];
  'Browser.grantPermissions': [
    { permissions: readonly string[]; origin: string; browserContextId: string }, Nothing,
  ];
  'Target.createBrowserContext': [Nothing, { browserContextId: string }];
  'Target.disposeBrowserContext': [{ browserContextId: string }, Nothing];
  'Target.createTarget': [{ url: string; browserContextId: string }, { targetId: string }];
  'Target.attachToTarget': [{ targetId: string; flatten: true }, { sessionId: string }];
  'Page.enable': [Nothing, Nothing];
  'Page.setLifecycleEventsEnabled': [{ enabled: boolean }, Nothing];
  'Page.navigate': [{ url: string }, { loaderId?: string; errorText?: string }];
  'Page.bringToFront': [Nothing, Nothing];
  'Page.handleJavaScriptDialog': [{ accept: boolean }, Nothing];
  'Page.captureScreenshot': [
    { format: 'png'; captureBeyondViewport: boolean }, { data: string },
  ];
  'Page.printToPDF': [
    { printBackground: boolean; paperWidth: number; paperHeight: number }, { data: string },
  ];
  'Page.getLayoutMetrics': [
    Nothing, { cssContentSize: { width: number; height: number } },
  ];
  'Runtime.enable': [Nothing, Nothing];
  'Runtime.evaluate': [
    { expression: string; returnByValue: true; awaitPromise: true; userGesture: true }, Evaluation,
  ];
  'Log.enable': [Nothing, Nothing];
  'Audits.enable': [Nothing, Nothing];
  'Network.enable': [Nothing, Nothing];
  'DOM.enable': [Nothing, Nothing];
  'Accessibility.enable': [Nothing, Nothing];
  'Accessibility.getFullAXTree': [Nothing, { nodes: readonly AxNode[] }];
  'DOMSnapshot.captureSnapshot': [
    { computedStyles: readonly string[]; includeDOMRects: true }, RawSnapshot,
  ];
  'Emulation.setDeviceMetricsOverride': [Viewport, Nothing];
  'Emulation.setTouchEmulationEnabled': [{ enabled: boolean }, Nothing];
  'Emulation.setEmulatedMedia': [{ media: string; features: readonly MediaFeature[] }, Nothing];
  'Emulation.setTimezoneOverride': [{ timezoneId: string }, Nothing];
  'Emulation.setScriptExecutionDisabled': [{ value: boolean }, Nothing];
  'Emulation.setFocusEmulationEnabled': [{ enabled: boolean }, Nothing];
  'Input.dispatchKeyEvent': [KeyEvent, Nothing];
  'Input.dispatchMouseEvent': [MouseEvent, Nothing];
}

/** The details of each event. */
export interface Events {
  'Inspector.targetCrashed': Nothing;
  'Page.lifecycleEvent': { readonly loaderId: string; readonly name: string };
  'Page.frameNavigated': { readonly frame: { readonly url: string; readonly loaderId: string } };
  'Page.javascriptDialogOpening': { readonly message: string };
  'Runtime.consoleAPICalled': { readonly type: string; readonly args: readonly RemoteValue[] };
  'Runtime.exceptionThrown': { readonly exceptionDetails: ExceptionDetails };
  'Log.entryAdded': {
    readonly entry: {
      readonly source: string; readonly level: string; readonly text: string; readonly url?: string;
    };
  };
  'Audits.issueAdded': {
    readonly issue: { readonly code: string; readonly details: Readonly<Record<string, unknown>> };
  };
  'Network.requestWillBeSent': {
    readonly request: { readonly url: string; readonly method: string };
  };
  'Network.responseReceived': {
    readonly type: string;
    readonly response: { readonly url: string; readonly status: number };
  };
  'Network.webSocketCreated': { readonly url: string };
}

export type CommandName = keyof Commands;
export type EventName = keyof Events;
export type Parameters<C extends CommandName> = Commands[C][0];
export type Result<C extends CommandName> = Commands[C][1];
