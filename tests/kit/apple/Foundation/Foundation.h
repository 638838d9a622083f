// What kit/main.mm uses of Apple's Foundation, declared from public documentation, so that its syntax can be checked
// where there is no Apple compiler. Nothing here is ever linked.
#pragma once

#include <cstddef>
#include <cstdint>

#define __MAC_15_0 150000

using BOOL = bool;
#define YES true
#define NO false
#define nil nullptr
using NSInteger = long;
using NSUInteger = unsigned long;
using CFTimeInterval = double;

struct NSFastEnumerationState {
  unsigned long state;
  id __unsafe_unretained* itemsPtr;
  unsigned long* mutationsPtr;
  unsigned long extra[5];
};

@protocol NSObject
- (BOOL)isKindOfClass:(Class)kind;
@end

__attribute__((objc_root_class))
@interface NSObject<NSObject>
+ (instancetype)alloc;
+ (Class)class;
- (instancetype)init;
@end

@interface NSString : NSObject
+ (instancetype)stringWithUTF8String:(const char*)text;
@property(readonly) const char* UTF8String;
@end

@interface NSNumber : NSObject
@property(readonly) long long longLongValue;
@end

@interface NSError : NSObject
@property(readonly, copy) NSString* localizedDescription;
@end

@interface NSData : NSObject
+ (instancetype)dataWithContentsOfFile:(NSString*)path;
@property(readonly) NSUInteger length;
@property(readonly) const void* bytes;
@end

@interface NSArray<ObjectType> : NSObject
@property(readonly) NSUInteger count;
- (ObjectType)objectAtIndexedSubscript:(NSUInteger)index;
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState*)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)length;
@end

@interface NSDictionary<KeyType, ObjectType> : NSObject
- (ObjectType)objectForKeyedSubscript:(KeyType)key;
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState*)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)length;
@end

using NSJSONReadingOptions = NSUInteger;
@interface NSJSONSerialization : NSObject
+ (id)JSONObjectWithData:(NSData*)data options:(NSJSONReadingOptions)options error:(NSError**)error;
@end

struct NSOperatingSystemVersion {
  NSInteger majorVersion, minorVersion, patchVersion;
};

@interface NSProcessInfo : NSObject
@property(class, readonly, strong) NSProcessInfo* processInfo;
@property(readonly) NSOperatingSystemVersion operatingSystemVersion;
@property(readonly, copy) NSString* operatingSystemVersionString;
@end
